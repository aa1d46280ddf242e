import { assertEquals } from "@std/assert";
import { choose, followPlan, type Placement } from "../../../shared/core/attend/placement.ts";
import { SharedMap } from "../../../shared/core/attend/shared_map.ts";
import type { Use } from "../../../shared/core/room/fit.ts";

const nodes = ["gpu-1", "gpu-2", "cpu-1"];

function use(node: string, kind: string, count = 1): Use {
  return { node, kind, requests: new Map(), count };
}

/** Members that are sent one after another, and planned anew in between. */
class Members {
  #placement: Placement = { uses: [], chosen: SharedMap.empty() };

  follow(uses: readonly Use[], waits: (uid: string) => boolean = () => true): void {
    this.#placement = followPlan(this.#placement, uses, waits);
  }

  choose(member: { uid: string; kind: string }, among: readonly string[]): readonly string[] {
    const chosen = choose(this.#placement, member, among);
    this.#placement = chosen.placement;
    return chosen.nodes;
  }
}

Deno.test("placement: members of one kind may go anywhere, because it does not matter which goes where", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker", 2)]);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, nodes), nodes);
});

Deno.test("placement: no more members of a kind are sent to a node than planned, and one that comes again goes where it was sent", () => {
  const placement = new Members();
  const uses = [use("gpu-1", "worker"), use("gpu-2", "worker"), use("cpu-1", "launcher")];
  placement.follow(uses);
  assertEquals(placement.choose({ uid: "launcher", kind: "launcher" }, nodes), ["cpu-1"]);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, nodes), ["gpu-1"]);
  assertEquals(placement.choose({ uid: "b", kind: "worker" }, nodes), ["gpu-2"]);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, nodes), ["gpu-1"]);
  assertEquals(
    placement.choose({ uid: "c", kind: "worker" }, nodes),
    nodes,
    "beyond what is needed",
  );
});

Deno.test("placement: where the scheduler has reasons against every planned node it decides", () => {
  const placement = new Members();
  placement.follow([use("gpu-1", "worker"), use("cpu-1", "launcher")]);
  assertEquals(placement.choose({ uid: "a", kind: "worker" }, ["gpu-2"]), ["gpu-2"]);
});

Deno.test("placement: a new plan counts those that are on the way, and no more those that are held", () => {
  const placement = new Members();
  const launcher = use("cpu-1", "launcher");
  placement.follow([use("gpu-1", "worker", 2), launcher]);
  placement.choose({ uid: "a", kind: "worker" }, nodes);
  placement.follow([use("gpu-1", "worker"), use("gpu-2", "worker"), launcher]);
  assertEquals(placement.choose({ uid: "b", kind: "worker" }, nodes), ["gpu-2"]);
  placement.follow([use("gpu-1", "worker"), launcher], (uid) => uid !== "a" && uid !== "b");
  assertEquals(placement.choose({ uid: "c", kind: "worker" }, nodes), ["gpu-1"]);
});
