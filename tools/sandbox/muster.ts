import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProcess } from "../process.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** Starts Muster as a process against a sandbox and returns the URL of its extender; `folder` keeps its store and log. */
export async function startMuster(kubeconfig: string, folder: string): Promise<string> {
  const listening = Promise.withResolvers<string>();
  const child = startProcess({
    name: "muster",
    command: Deno.execPath(),
    args: ["run", "-A", join(ROOT, "tools/start.ts")]
      .concat([
        "--kubeconfig",
        kubeconfig,
        "--port",
        "0",
        "--scheduler-name",
        "default-scheduler,muster",
        "--store",
        join(folder, "store"),
      ]),
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    logFile: join(folder, "muster.log"),
    onLine: (line) => {
      const url = /^listening: (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1];
      if (url !== undefined) listening.resolve(url);
    },
  });
  const url = await child.orFailure(() => listening.promise);
  return `${url}/extender`;
}
