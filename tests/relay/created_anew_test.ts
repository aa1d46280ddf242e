import { assertEquals } from "@std/assert";
import type { PodManifest } from "../../tools/sandbox/objects.ts";
import { membersOf, podOf, whyPending } from "../support/gang_pods.ts";
import { relayTest } from "../support/relay_world.ts";

relayTest(
  "pods of a Job that was created anew wait for each other, though some of the old one still run",
  { nodes: { "node-1": 6 } },
  async (world) => {
    const create = async (name: string, uid: string) => {
      const pod = podOf(name, { gang: { name: "train", minAvailable: 3 }, gpus: 1 });
      const owner = { apiVersion: "batch/v1", kind: "Job", name: "train", uid, controller: true };
      const metadata = { ...pod.metadata, ownerReferences: [owner] };
      await world.sandbox.createPod({ ...pod, metadata } as PodManifest);
    };
    const [old, anew] = [membersOf("old", 3), membersOf("new", 3)];
    for (const name of old) await create(name, "monday");
    await world.untilBound(old);
    // Creations are told in whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const [last, ...others] = anew;
    for (const name of others) await create(name, "tuesday");
    await world.delete("old-0");
    await world.until("they say that they wait for one more", () => {
      return others.every((name) => whyPending(world.pod(name))?.includes("2 of 3 members"));
    });
    assertEquals(world.bound(), ["old-1", "old-2"]);
    await create(last!, "tuesday");
    await world.untilBound(anew);
  },
);
