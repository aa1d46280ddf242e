import type { SourceFile } from "./module_graph.ts";

/** What the import map puts an own file in place of. */
export const WORKERS = "cloudflare:workers";

/**
 * Depth-first search; each cycle is reported from the file where it closes. What the import map puts in place of the platform
 * is not followed, because elsewhere it is the platform.
 */
export function cycles(tree: SourceFile[]): string[] {
  const byPath = new Map(tree.map((source) => [source.path, source]));
  const found: string[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  function visit(path: string): void {
    const start = trail.indexOf(path);
    if (start >= 0) found.push([...trail.slice(start), path].map((at) => `"${at}"`).join(" → "));
    if (start >= 0 || done.has(path)) return;
    trail.push(path);
    for (const edge of byPath.get(path)?.imports ?? []) {
      if (edge.path !== undefined && edge.specifier !== WORKERS) visit(edge.path);
    }
    trail.pop();
    done.add(path);
  }
  for (const { path } of tree) visit(path);
  return found;
}
