import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProcess } from "../../cli/process.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { freePorts } from "../control_plane/ports.ts";

const program = join(dirname(fileURLToPath(import.meta.url)), "floor_extender.ts");

/** Starts the extender that decides nothing, with the relay's identity; resolves with its URL when it listens. */
export async function startFloorExtender(controlPlane: ControlPlane): Promise<string> {
  const { floor } = freePorts(["floor"]);
  const url = `http://127.0.0.1:${floor}`;
  const listening = Promise.withResolvers<void>();
  const child = startProcess({
    name: "floor",
    command: Deno.execPath(),
    args: [
      "run",
      "-A",
      program,
      `--kubeconfig=${controlPlane.kubeconfigs.relay}`,
      `--port=${floor}`,
    ],
    logFile: controlPlane.logFile("floor"),
    onLine: (line) => {
      if (line === `listening: ${url}`) listening.resolve();
    },
  });
  controlPlane.adopt(child);
  await child.orFailure(() => listening.promise);
  return url;
}
