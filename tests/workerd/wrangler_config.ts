/**
 * wrangler.toml as wrangler itself reads it.
 *
 * @module
 */
import { childDeno } from "../../tools/child_deno.ts";
import type { WorkerOptions } from "../../cli/workerd.ts";

const root = new URL("../..", import.meta.url).pathname;

/** The environments that together are Muster with a Worker per stage. */
export const stageEnvironments = [
  "queue-sort",
  "prefilter",
  "permit",
  "postfilter",
  "unreserve",
  "admit",
  "gangs",
  "page",
];

/** All of them; the first is what is deployed when none is named. */
export const environments = ["", "store", ...stageEnvironments];

/** What is used here of an environment. */
export interface Environment {
  name: string;
  main: string;
  compatibility_date: string;
  workers_dev: boolean;
  preview_urls: boolean;
  route?: unknown;
  routes?: unknown;
  vars: Record<string, string>;
  migrations: { tag: string; new_sqlite_classes?: string[] }[];
  durable_objects: { bindings: { name: string; class_name: string; script_name?: string }[] };
}

/** Wrangler leaves signal listeners behind: hence a process of its own. */
const script = `
import { unstable_readConfig } from "wrangler";
const config = ${JSON.stringify(`${root}wrangler.toml`)};
const read = ["", ...${
  JSON.stringify(environments.slice(1))
}].map((env) => unstable_readConfig({ config, env }));
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(read)));
Deno.exit(0);`;

/** The environments of wrangler.toml, in the order of {@linkcode environments}. */
export async function readEnvironments(): Promise<Environment[]> {
  const command = childDeno(["eval", script], { cwd: root, stdout: "piped", stderr: "piped" });
  const { stdout, stderr } = await command.output();
  const [text, warnings] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  try {
    return JSON.parse(text!);
  } catch {
    throw new Error(`Cannot read wrangler.toml: ${warnings}`);
  }
}

/** The Worker that an environment describes, to run the bundle that `tools/build.ts` wrote in `dist`. */
export function workerOf(environment: Environment, dist: string): [string, WorkerOptions] {
  const { name, main, migrations, durable_objects, vars } = environment;
  return [name, {
    bundle: `${dist}/${main.split("/").at(-1)}`,
    vars,
    classes: migrations.flatMap(({ new_sqlite_classes = [] }) => new_sqlite_classes),
    objects: durable_objects.bindings.map((binding) => ({
      name: binding.name,
      class: binding.class_name,
      ...(binding.script_name && { script: binding.script_name }),
    })),
  }];
}
