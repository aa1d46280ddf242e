import { sendSignal } from "../../cli/process.ts";
import type { Deed } from "./actions.ts";
import { stopProcess } from "./part.ts";
import type { System } from "./system.ts";
import type { Tenants } from "./tenants.ts";
import { sleep } from "../sleep.ts";

/** What deeds are done to. */
export interface Scene {
  readonly system: System;
  readonly tenants: Tenants;
}

/**
 * Does a deed; resolves when it is over, with what was found when it was done, if that is not told by the deed.
 *
 * @throws what the cluster answers, where another fault is in the way.
 */
export async function strike(deed: Deed, { system, tenants }: Scene): Promise<string | undefined> {
  switch (deed.do) {
    case "create":
      tenants.come(deed.gang);
      return;
    case "kill":
    case "restart":
      return await end(deed, system);
    case "stop": {
      const pid = deed.part === "store" ? system.workerd : undefined;
      if (pid !== undefined) await stopProcess(pid, deed.ms);
      else await system.parts[processOf(deed.part)].stop(deed.ms);
      return;
    }
    case "cut": {
      const link = system.links[deed.link];
      link.isCut = true;
      link.cut();
      await sleep(deed.ms);
      link.isCut = false;
      return;
    }
    case "silence": {
      const link = system.links[deed.link];
      link.silence();
      link.isSilent = true;
      await sleep(deed.ms);
      link.isSilent = false;
      return;
    }
    case "delay": {
      const link = system.links[deed.link];
      link.delayMs = deed.byMs;
      await sleep(deed.ms);
      link.delayMs = 0;
      return;
    }
    case "step clock":
      await system.setClock(deed.part, deed.byMs);
      return;
    case "fill disk":
      if (system.disk === undefined) return "left out: this user may not mount a disk";
      await system.disk.fill();
      await sleep(deed.ms);
      await system.disk.release();
      return;
    case "lose store":
      await system.loseStore();
      return;
    case "take node":
      await system.controlPlane.api.delete(`/api/v1/nodes/node-${deed.node}`);
      await sleep(deed.ms);
      await system.addNode(deed.node);
      return;
    case "delete pods":
      return (await tenants.lose(deed.count, deed.draw)).join(" ");
    case "edit gang":
      return tenants.edit(deed.draw);
  }
}

async function end(
  deed: Extract<Deed, { do: "kill" | "restart" }>,
  system: System,
): Promise<string | undefined> {
  const how = deed.do === "kill" ? "SIGKILL" : "SIGTERM";
  const workerd = deed.part === "store" ? system.workerd : undefined;
  if (workerd !== undefined) {
    sendSignal(workerd, how);
    return "workerd";
  }
  await system.parts[processOf(deed.part)].end(how);
  return deed.part === "store" ? "the functions' own process" : undefined;
}

function processOf<Name extends string>(part: Name): Exclude<Name, "store"> | "functions" {
  return part === "store" ? "functions" : part as Exclude<Name, "store">;
}
