/** What is used here of the output of `deno doc --json`. */
export interface DocOutput {
  /** By the URL of the file. */
  nodes: Record<string, { symbols?: DocSymbol[] }>;
}

interface DocSymbol {
  name: string;
  declarations: {
    /** The line counts from 0. */
    location: { filename: string; line: number };
    declarationKind: string;
    jsDoc?: { doc?: string };
  }[];
}

/** An exported symbol. */
export interface ExportedSymbol {
  path: string;
  /** Counts from 1. */
  line: number;
  name: string;
}

/**
 * The exported symbols without a docstring. Members of interfaces and classes need none, because their names often say it all;
 * that, and inferred types, is why `deno doc --lint` is not used. A default export is what its module is about.
 */
export function undocumentedExports({ nodes }: DocOutput): ExportedSymbol[] {
  const found: ExportedSymbol[] = [];
  for (const [file, { symbols = [] }] of Object.entries(nodes)) {
    for (const { name, declarations } of symbols) {
      const own = declarations.filter(({ declarationKind, location }) =>
        declarationKind === "export" && location.filename === file
      );
      const [first] = own;
      if (first === undefined || name === "default" || own.some(({ jsDoc }) => jsDoc?.doc)) {
        continue;
      }
      found.push({ path: new URL(file).pathname, line: first.location.line + 1, name });
    }
  }
  return found;
}

/** Tells a declaration from a re-export, which `deno doc` shows alike: the docstring is where the symbol is declared. */
export function isDeclaration(line: string): boolean {
  return /^export\s+(declare\s+|abstract\s+|async\s+)*(function|class|const|let|interface|enum|namespace|type\s+\w)/
    .test(line);
}
