const SKIPPED = ["node_modules", "dist"];

/**
 * Paths of the project's own files whose name ends so, relative to the root and sorted. Folders that hold what was installed
 * or generated, and hidden ones except `.github`, are left out.
 */
export async function listFiles(root: string, ending: string): Promise<string[]> {
  const found: string[] = [];
  async function visit(folder: string): Promise<void> {
    for await (const { name, isDirectory, isFile } of Deno.readDir(`${root}/${folder}`)) {
      const path = `${folder}${name}`;
      if (isFile && name.endsWith(ending)) found.push(path);
      const hidden = name.startsWith(".") && name !== ".github";
      if (isDirectory && !hidden && !SKIPPED.includes(name)) await visit(`${path}/`);
    }
  }
  await visit("");
  return found.sort();
}
