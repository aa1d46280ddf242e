/**
 * Tells when a folder is removed under a program that keeps it open.
 *
 * @module
 */
import { join } from "node:path";

/** It is looked for this often. A watch of the file system would be told of at once, and a machine has only so many. */
const lookMs = 1000;

/** Calls back, once, when a folder, or one right inside it, is removed or is another one; until it is disposed. */
export function onFolderRemoved(folder: string, removed: (path: string) => void): Disposable {
  let before = inodesOf(folder);
  const timer = setInterval(() => {
    const now = inodesOf(folder);
    for (const [path, inode] of before) {
      if (now.get(path) === inode) continue;
      clearInterval(timer);
      return removed(path);
    }
    before = now;
  }, lookMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** By path; of those that are there. */
function inodesOf(folder: string): Map<string, number | null> {
  try {
    const within = [...Deno.readDirSync(folder)].map(({ name }) => join(folder, name));
    return new Map([folder, ...within].map((path) => [path, Deno.statSync(path).ino]));
  } catch (error) {
    // Some of it was removed just now.
    if (error instanceof Deno.errors.NotFound) return new Map();
    throw error;
  }
}
