/**
 * Puts small faults into a module, each behind a switch: `globalThis.mutant` says which one is on, so that all of them are
 * tried without loading anything twice.
 *
 * @module
 */
import { type AnyNode, parse } from "acorn";
import { transformSync } from "amaro";

/** A small fault. */
export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  /** The line that it begins on. */
  readonly on: string;
  readonly original: string;
  readonly mutated: string;
  /** It is in what is evaluated once, when the module is loaded. */
  readonly isStatic: boolean;
}

type Insertion = { at: number; isEnd: boolean; size: number; text: string };

/** Each in the place of the other. */
const operators = new Map([
  ["===", "!=="],
  ["!==", "==="],
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["&&", "||"],
  ["||", "&&"],
]);
const methods = new Map([["some", "every"], ["every", "some"], ["min", "max"], ["max", "min"]]);

/** The module with its faults, which are numbered from `firstId` on; what it says of types is blank. */
export function instrument(
  source: string,
  { file, firstId }: { file: string; firstId: number },
): { code: string; mutants: Mutant[] } {
  const code = transformSync(source, { mode: "strip-only" }).code;
  const tree = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  const lines = source.split("\n");
  const mutants: Mutant[] = [];
  const insertions: Insertion[] = [];

  function put(node: AnyNode, mutated: string, depth: number): void {
    const id = firstId + mutants.length;
    const original = code.slice(node.start, node.end);
    const line = node.loc!.start.line;
    const on = lines[line - 1]!.trim();
    mutants.push({ id, file, line, on, original, mutated, isStatic: depth === 0 });
    const size = node.end - node.start;
    const text = `(globalThis.mutantAt(${id})?(${mutated}):(`;
    insertions.push({ at: node.start, isEnd: false, size, text });
    insertions.push({ at: node.end, isEnd: true, size, text: "))" });
  }

  function visit(node: AnyNode, parent: AnyNode | undefined, depth: number): void {
    const mutated = mutationOf(node, { parent, code });
    if (mutated !== undefined) put(node, mutated, depth);
    const isFunction = /Function|MethodDefinition|PropertyDefinition/.test(node.type) &&
      !(node.type === "PropertyDefinition" && node.static);
    for (const [key, value] of Object.entries(node)) {
      if (key === "loc" || (key === "key" && !(node as { computed?: boolean }).computed)) continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (typeof child?.type === "string") visit(child, node, depth + (isFunction ? 1 : 0));
      }
    }
  }
  visit(tree, undefined, 0);
  return { code: inserted(code, insertions), mutants };
}

/** What stands in the place of an expression; undefined: nothing does. */
function mutationOf(
  node: AnyNode,
  { parent, code }: { parent: AnyNode | undefined; code: string },
): string | undefined {
  const textOf = ({ start, end }: AnyNode) => code.slice(start, end);
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression": {
      const operator = operators.get(node.operator);
      if (operator === undefined) return undefined;
      // Texts are put together by plus too.
      if (node.operator === "+" && /["'`]/.test(textOf(node))) return undefined;
      return `(${textOf(node.left)}) ${operator} (${textOf(node.right)})`;
    }
    case "UnaryExpression":
      return node.operator === "!" ? textOf(node.argument) : undefined;
    case "ConditionalExpression":
      return `!(${textOf(node.test)}) ? (${textOf(node.consequent)}) : (${textOf(node.alternate)})`;
    case "Literal":
      if (typeof node.value === "boolean") return String(!node.value);
      return typeof node.value === "number" && parent?.type !== "ImportDeclaration"
        ? `${textOf(node)} + 1`
        : undefined;
    case "CallExpression": {
      const { callee } = node;
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") {
        return undefined;
      }
      const other = methods.get(callee.property.name);
      // Within a chain the rest of it would not be skipped.
      if (other === undefined || callee.optional || textOf(node).includes("?.")) return undefined;
      const { start, end } = callee.property;
      return code.slice(node.start, start) + other + code.slice(end, node.end);
    }
    default:
      return undefined;
  }
}

/** At one place what is around others begins before them and ends after them. */
function inserted(code: string, insertions: readonly Insertion[]): string {
  const sorted = insertions.map((insertion, order) => ({ ...insertion, order }))
    .sort((a, b) =>
      a.at - b.at || Number(b.isEnd) - Number(a.isEnd) ||
      (a.isEnd ? a.size - b.size || b.order - a.order : b.size - a.size || a.order - b.order)
    );
  let text = "";
  let done = 0;
  for (const { at, text: part } of sorted) {
    text += code.slice(done, at) + part;
    done = at;
  }
  return text + code.slice(done);
}
