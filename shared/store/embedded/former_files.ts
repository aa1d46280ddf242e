/**
 * Files of before objects that keep values had one for all of them: each had tables in one of its own.
 *
 * @module
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The SHA-256 of class and name, and what SQLite writes beside it. */
const formerFile = /^[0-9a-f]{64}\.sqlite(-wal|-shm)?$/;

/** Removes those in the folder of a class, and nothing else; tells of how many objects they were. */
export function removeFormerFiles(folder: string): number {
  const files = filesIn(folder).filter((name) => formerFile.test(name));
  for (const name of files) rmSync(join(folder, name), { force: true });
  return files.filter((name) => name.endsWith(".sqlite")).length;
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
