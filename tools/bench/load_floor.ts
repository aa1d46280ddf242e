import { join } from "node:path";
import { queue } from "./load_pods.ts";
import { compareSpeeds, type SpeedFigures } from "./load_speeds.ts";
import { RunningSystem, systems } from "./systems.ts";

/** The same pods without Muster: regular ones on a cluster whose scheduler has as many that fit nowhere, and on one without. */
export async function floorOf(
  options: {
    gate: string;
    nodes: number;
    gangs: number;
    rounds: number;
    onProgress: (line: string) => void;
  },
  dir: string,
): Promise<SpeedFigures> {
  await using closing = new AsyncDisposableStack();
  const startPlain = async (name: string) => {
    options.onProgress(`creating ${options.nodes} nodes on a cluster without Muster, ${name}`);
    const running = await RunningSystem.start(systems["plain"]!, {
      dir: join(dir, name),
      isRecorded: false,
      isProfiled: false,
    });
    closing.use(running);
    await running.growTo(options.nodes);
    return running;
  };
  const clusters = { alone: await startPlain("alone"), beside: await startPlain("beside") };
  const declaration = options.gate === "gated" ? systems["gated"]!.declaration : { isNone: true };
  await queue(clusters.beside.client, { gangs: options.gangs, declaration });
  return await compareSpeeds(clusters, options);
}
