import { join } from "node:path";

const mounted = new Set<SmallDisk>();

/** Unmounts every disk that is still mounted. */
export async function unmountAll(): Promise<void> {
  for (const disk of mounted) await disk[Symbol.asyncDispose]();
}

/** A folder on a disk of its own, which can be filled up. */
export class SmallDisk implements AsyncDisposable {
  readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** Mounts a disk of so many MiB at a folder; undefined where this user may not. */
  static async mount(dir: string, mebibytes: number): Promise<SmallDisk | undefined> {
    await Deno.mkdir(dir, { recursive: true });
    const args = ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=700`, "none", dir];
    if (!await succeeds("mount", args)) return undefined;
    const disk = new SmallDisk(dir);
    mounted.add(disk);
    return disk;
  }

  /** Leaves no room; resolves when {@linkcode release} may be called. */
  async fill(): Promise<void> {
    using file = await Deno.open(this.#ballast, { create: true, write: true, truncate: true });
    const bytes = new Uint8Array(64 * 1024);
    try {
      while (true) await file.write(bytes);
    } catch (error) {
      if (!/ENOSPC|No space left/.test(String(error))) throw error;
    }
  }

  /** Gives back what {@linkcode fill} took. */
  async release(): Promise<void> {
    await Deno.remove(this.#ballast).catch(() => {/* It was not filled. */});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    mounted.delete(this);
    await succeeds("umount", ["--lazy", this.dir]);
  }

  get #ballast(): string {
    return join(this.dir, "ballast");
  }
}

async function succeeds(command: string, args: string[]): Promise<boolean> {
  const options = { args, stdout: "null", stderr: "null" } as const;
  return (await new Deno.Command(command, options).output()).success;
}
