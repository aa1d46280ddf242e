/**
 * Histories through the whole of relay, store and a model scheduler.
 *
 * MUSTER_HISTORIES says how many (500 when absent; a release is tested with 100,000), MUSTER_SEED which (1 when absent, so
 * that a run can be repeated; another number explores others).
 *
 * @module
 */
import { decisions } from "../../../shared/core/attend/decisions.ts";
import { search as share } from "../search.ts";
import { found } from "./found.ts";
import { foundInPreemptions } from "./found_in_preemptions.ts";
import { foundInTrees } from "./found_in_trees.ts";
import type { Task } from "./histories_worker.ts";
import { DirectPolicy } from "./policy_host.ts";
import { live } from "./simulation.ts";

const wanted = Number(Deno.env.get("MUSTER_HISTORIES") ?? 500);

function search(task: Omit<Task, "seed">): Promise<void> {
  return share(new URL("./histories_worker.ts", import.meta.url), { ...task });
}

Deno.test("property: whatever happens, gangs bind whole, nobody is forgotten, and what fits binds in the end", async () => {
  await search({
    runs: wanted,
    profiles: ["default", "default", "sigs", "koordinator"],
    of: "histories",
    policy: "direct",
  });
});

Deno.test("property: the same where the gangs of a group ask for different things", async () => {
  await search({
    runs: Math.ceil(wanted / 4),
    profiles: ["default", "sigs", "koordinator"],
    of: "mixtures",
    policy: "direct",
  });
});

Deno.test("property: the same where gangs are in a tree that can do without some of them", async () => {
  await search({
    runs: Math.ceil(wanted / 4),
    profiles: ["default", "default", "sigs", "koordinator"],
    of: "trees",
    policy: "direct",
  });
});

Deno.test("property: the same where gangs say where they run, of which roles they are and for how long", async () => {
  await search({
    runs: Math.ceil(wanted / 4),
    profiles: ["default", "koordinator"],
    of: "places",
    policy: "direct",
  });
});

Deno.test("property: where nothing fails, no gang is let in for nothing", async () => {
  await search({
    runs: Math.ceil(wanted / 4),
    profiles: ["default", "koordinator"],
    of: "crowds",
    policy: "direct",
  });
});

Deno.test("property: when victims have left for a gang, it starts, or the next in the queue does, within the largest back-off", async () => {
  await search({
    runs: Math.ceil(wanted / 4),
    // In the others nobody is let go for a sibling that the scheduler refuses.
    profiles: ["default", "koordinator"],
    of: "rivals",
    policy: "direct",
  });
});

Deno.test("property: the same through the functions' HTTP and the store on disk", async () => {
  for (const kind of ["histories", "trees"] as const) {
    await search({
      runs: Math.ceil(wanted / 40),
      profiles: ["default", "sigs", "koordinator", "kep", "kube-batch"],
      of: kind,
      policy: "embedded",
    });
  }
});

Deno.test("property: what was recorded of a history is decided alike again", async () => {
  for (const kind of ["histories", "mixtures", "trees"] as const) {
    await search({
      runs: Math.ceil(wanted / 40),
      profiles: ["default", "sigs", "koordinator", "kep", "kube-batch"],
      of: kind,
      policy: "direct",
      isRecorded: true,
    });
  }
});

for (
  const [wrong, history] of Object.entries({ ...found, ...foundInPreemptions, ...foundInTrees })
) {
  Deno.test(`property: found by a history: ${wrong}`, async () => {
    await live(history, { policyOf: (profile) => new DirectPolicy(profile), decisions });
  });
}
