import type { ControlPlane } from "../control_plane/control_plane.ts";
import { freePorts } from "../control_plane/ports.ts";
import { launchProgram } from "../program.ts";

/** What an extender that decides nothing does with members of a gang: binds each at once, or all when all are to be bound. */
export type Floor = "binds" | "holds";

/** Starts the extender that decides nothing, with the relay's identity; resolves with its URL when it listens. */
export async function startFloorExtender(
  controlPlane: ControlPlane,
  floor: Floor,
): Promise<string> {
  const { process, url } = launchProgram({
    name: "floor",
    script: "tools/bench/floor_extender.ts",
    args: [
      `--kubeconfig=${controlPlane.kubeconfigs.relay}`,
      `--port=${freePorts(["floor"]).floor}`,
      ...(floor === "holds" ? ["--hold"] : []),
    ],
    logFile: controlPlane.logFile("floor"),
  });
  controlPlane.adopt(process);
  return await process.orFailure(() => url);
}
