/**
 * Tells when a folder is removed under a program that keeps it open.
 *
 * @module
 */

/** Calls back, once, when a folder, or one right inside it, is removed or renamed; until it is disposed. */
export function onFolderRemoved(folder: string, removed: (path: string) => void): Disposable {
  const watcher = Deno.watchFs(folder, { recursive: false });
  const watch = async () => {
    for await (const { kind, paths } of watcher) {
      if (kind === "remove" || kind === "rename") return removed(paths[0] ?? folder);
    }
  };
  watch();
  return watcher;
}
