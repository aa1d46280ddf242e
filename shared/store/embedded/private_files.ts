/**
 * Folders and files that nobody but their owner can read.
 *
 * @module
 */
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";

/** What others than the owner may do. */
const others = 0o077;

/** Makes a folder where there is none; one that others may enter is closed to them. Tells whether that is so now. */
export function privateFolder(path: string): boolean {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return closed(path, 0o700);
}

/** Makes an empty file where there is none; one that others may read is closed to them, where it may be. */
export function privateFile(path: string): void {
  closeSync(openSync(path, "a", 0o600));
  closed(path, 0o600);
}

function closed(path: string, mode: number): boolean {
  if ((statSync(path).mode & others) === 0) return true;
  try {
    chmodSync(path, mode);
    return true;
  } catch {
    // It is somebody else's.
    return false;
  }
}
