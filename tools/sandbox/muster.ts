import { join } from "node:path";
import { startProgram } from "../program.ts";

/** Starts Muster as a process against a sandbox and returns the URL of its extender; `folder` keeps its store and log. */
export async function startMuster(kubeconfig: string, folder: string): Promise<string> {
  const { url } = await startProgram({
    name: "muster",
    script: "cli/start.ts",
    args: [
      `--kubeconfig=${kubeconfig}`,
      "--port=0",
      "--scheduler-name=default-scheduler,muster",
      `--store=${join(folder, "store")}`,
    ],
    logFile: join(folder, "muster.log"),
  });
  return `${url}/extender`;
}
