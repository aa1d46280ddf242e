import { assert, assertEquals, assertMatch } from "@std/assert";
import { cp } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { childDeno } from "../../tools/child_deno.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const text = await Deno.readTextFile(join(root, "deploy/Containerfile"));

/** Instructions with their arguments, comments left out and continued lines joined. */
const instructions = text.replace(/^#.*\n/gm, "").replaceAll(/\\\n\s*/g, "").trim().split(/\n+/)
  .map((line): [string, string[]] => {
    const [name = "", rest = ""] = line.split(/ (.*)/);
    return [name, rest.startsWith("[") ? JSON.parse(rest) : rest.split(" ")];
  });

/** The arguments of each instruction of a name. */
function argsOf(name: string): string[][] {
  return instructions.filter(([instruction]) => instruction === name).map(([, args]) => args);
}

/** Runs Deno; throws what it says unless it succeeds. Resolves to its output. */
async function runDeno(args: string[], options: Deno.CommandOptions): Promise<string> {
  const { success, stdout, stderr } = await childDeno(args, options).output();
  assert(success, `deno ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

Deno.test("the image's steps give one file that starts where there is nothing but Deno", async () => {
  const dir = await Deno.makeTempDir({ prefix: "muster-image-" });
  try {
    const [source, bundle, image] = ["muster", "bundle", "image"].map((name) => join(dir, name));
    await Promise.all([source!, image!].map((folder) => Deno.mkdir(folder)));
    const isFromBuild = ([first]: string[]) => first === "--from=build";
    for (const args of argsOf("COPY").filter((args) => !isFromBuild(args))) {
      const to = args.pop()!;
      for (const from of args) {
        const target = to === "./" ? basename(from) : to;
        await cp(join(root, from), join(source!, target), { recursive: true });
      }
    }
    const [[program, ...build]] = argsOf("RUN") as [string[]];
    assertEquals(program, "deno");
    await runDeno(build.map((arg) => arg.replace("/bundle", bundle!)), { cwd: source! });

    const [[, from, to]] = argsOf("COPY").filter(isFromBuild) as [[string, string, string]];
    await Deno.copyFile(from.replace("/bundle", bundle!), join(image!, basename(to)));
    await Deno.remove(source!, { recursive: true });
    const [[deno, ...entry]] = argsOf("ENTRYPOINT") as [string[]];
    assertEquals(deno, "/bin/deno");
    const help = await runDeno(
      [...entry.map((arg) => arg.replace(to, join(image!, basename(to)))), "--help"],
      { cwd: image!, clearEnv: true, env: { DENO_DIR: "/proc/nowhere" } },
    );
    assertMatch(help, /--functions-url/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("the image is built and run by one version of Deno, and not by root", () => {
  const versions = argsOf("FROM").map(([image]) =>
    image!.replace(/^docker\.io\/denoland\/deno:(distroless-)?/, "")
      .replace(/@sha256:[0-9a-f]{64}$/, "")
  );
  assertEquals(versions.length, 2);
  assertEquals(new Set(versions).size, 1, versions.join());
  assertMatch(versions[0]!, /^2\.\d+\.\d+$/);
  const [[user]] = argsOf("USER") as [[string]];
  assertMatch(user, /^[1-9]\d*:[1-9]\d*$/);
});
