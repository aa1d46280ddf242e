import { assertEquals } from "@std/assert";
import { membershipOf } from "../../../shared/kubernetes/declaring/dialect.ts";
import { readGang } from "../../../shared/kubernetes/declaring/gang_reader.ts";
import type { Pod } from "../../../shared/kubernetes/types.ts";
import { podOf, type PodParts } from "../../support/objects.ts";

const prefix = "leaderworkerset.sigs.k8s.io/";

/** Leader of replica 1 of LeaderWorkerSet serve, of three pods, as the API server has it when it comes. */
function leader(more: PodParts = {}): Pod {
  return podOf({
    name: "serve-1",
    labels: { [`${prefix}name`]: "serve", [`${prefix}worker-index`]: "0" },
    ...more,
    annotations: { [`${prefix}size`]: "3", ...more.annotations },
  });
}

function worker(index: number): Pod {
  return podOf({
    name: `serve-1-${index}`,
    labels: { [`${prefix}name`]: "serve", [`${prefix}worker-index`]: String(index) },
    annotations: { [`${prefix}size`]: "3", [`${prefix}leader-name`]: "serve-1" },
  });
}

Deno.test("LeaderWorkerSet: a replica is a gang, its leader is one of it, and its size is the quorum", () => {
  const pods = [leader(), worker(1), worker(2)];
  assertEquals(pods.map((pod) => membershipOf(pod)?.name), ["serve-1", "serve-1", "serve-1"]);
  const { spec, problem, warnings } = readGang(pods);
  assertEquals([spec.name, spec.minMember, problem, warnings], ["serve-1", 3, undefined, []]);
});

Deno.test("LeaderWorkerSet: what its pods say otherwise comes first", () => {
  const labels = {
    [`${prefix}name`]: "serve",
    "pod-group.scheduling.sigs.k8s.io/name": "all",
    "pod-group.scheduling.sigs.k8s.io/min-available": "6",
  };
  const { spec } = readGang([leader({ labels })]);
  assertEquals([spec.name, spec.minMember], ["all", 6]);
  const annotations = { "gang.scheduling.koordinator.sh/min-available": "1" };
  assertEquals(readGang([leader({ annotations })]).spec.minMember, 1);
});

Deno.test("LeaderWorkerSet: a size that is none is not guessed", () => {
  const { problem } = readGang([leader({ annotations: { [`${prefix}size`]: "three" } })]);
  assertEquals(problem?.reason, "InvalidMinMember");
});

Deno.test("LeaderWorkerSet: a leader that is alone learns that its workers may wait for it", () => {
  const told = (...pods: Pod[]) => readGang(pods).warnings.map(({ message }) => message);
  assertEquals(told(leader()), [
    "pod serve-1 leads a group of 3, of which there is no worker: with startupPolicy LeaderReady " +
    "workers come once it runs, and it waits for them, so use LeaderCreated",
  ]);
  assertEquals(told(leader(), worker(1)), []);
  assertEquals(told(worker(1)), []);
  assertEquals(told(leader({ nodeName: "node-1" })), []);
  assertEquals(told(leader({ annotations: { [`${prefix}size`]: "1" } })), []);
});
