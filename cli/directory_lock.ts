import { join } from "node:path";

/**
 * Takes a folder for this process by a file in it, creating both where they are missing. The kernel gives the lock back when
 * the process dies, so what a dead process left is never mistaken for a live one.
 *
 * @throws {Error} where a live process holds it.
 */
export async function lockDirectory(dir: string, name = "lock"): Promise<Disposable> {
  await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, name);
  const file = await Deno.open(path, { create: true, read: true, write: true });
  if (await file.tryLock(true)) {
    await file.truncate();
    await file.write(new TextEncoder().encode(`${Deno.pid}\n`));
    return file;
  }
  file.close();
  const pid = (await Deno.readTextFile(path)).trim();
  throw new Error(
    `Cannot use "${dir}": process ${pid} uses it: stop that one, or choose another folder`,
  );
}
