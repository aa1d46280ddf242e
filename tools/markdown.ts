/** Finds what a markdown file promises and the project does not have. */
import { dirname, join } from "node:path";

/** What the project has. */
export interface ProjectFacts {
  /** Names of the tasks in deno.json. */
  tasks: string[];
  /** Whether a file or folder exists, by its path relative to the project root. */
  exists(path: string): boolean;
}

/** A markdown file. */
export interface MarkdownFile {
  /** Relative to the project root. */
  path: string;
  text: string;
}

/**
 * One sentence for each relative link that leads nowhere, each `deno task` that does not exist, and each `deno run` of a file
 * that does not exist. Links are looked for outside code, commands only inside.
 */
export function markdownProblems({ path, text }: MarkdownFile, project: ProjectFacts): string[] {
  const code: string[] = [];
  const prose = text.replace(CODE, (_, fence, fenced, ticks, span) => {
    code.push(fence === undefined ? span : fenced);
    return fence ?? ticks;
  });
  return [
    ...links(prose).filter((link) => !project.exists(join(dirname(path), link)))
      .map((link) => `"${path}" links to "${link}", which does not exist`),
    ...matches(code, TASK).filter((task) => !project.tasks.includes(task))
      .map((task) => `"${path}" names the task "${task}", which is not in deno.json`),
    ...matches(code, RUN).filter((script) => !project.exists(script))
      .map((script) => `"${path}" runs "${script}", which does not exist`),
  ];
}

/** A fenced block, or a span of code. */
const CODE = /^ *(```+|~~~+)([^]*?)^ *\1|(`+)([^`]+?)\3/gm;
const TASK = /\bdeno(?:@2)? task (?:-\S+ )*([a-z][\w:-]*)/g;
const RUN = /\bdeno(?:@2)? run (?:-\S+ )*([\w./-]+\.ts)\b/g;
/** `[text](target)`, `![text](target)` and `[label]: target`. */
const LINK = /\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm;

function links(prose: string): string[] {
  return [...prose.matchAll(LINK)]
    .map(([, inline, reference]) => inline ?? reference ?? "")
    .filter((target) => !/^([a-z][a-z0-9+.-]*:|#)/i.test(target))
    .map((target) => decodeURI(target.replace(/[?#].*$/, "")));
}

function matches(code: string[], pattern: RegExp): string[] {
  return code.flatMap((text) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
}
