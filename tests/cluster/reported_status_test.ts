import { assertEquals } from "@std/assert";
import { afterWrite, type KnownStatus } from "../../shared/cluster/reported_status.ts";
import { sigsPodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { podGroupOf } from "../support/objects.ts";

const seen = podGroupOf({ minMember: 2 });
const began: KnownStatus = {
  kind: sigsPodGroup,
  podGroup: { ...seen, status: { phase: "Pending", running: 1 } },
  written: undefined,
  differsSince: undefined,
  notBefore: 0,
};
const answer = { ...seen, metadata: { ...seen.metadata, resourceVersion: "9" } };
const write = { began, fields: { phase: "Scheduling" }, answer, at: 5 };
const written = { fields: { phase: "Scheduling", running: 1 }, version: "9", at: 5 };

Deno.test("afterWrite(): the answer is what the PodGroup looks like, also where its kind keeps no status", () => {
  const known = afterWrite(began, write);
  assertEquals(known.written, written);
  assertEquals(known.podGroup, { ...began.podGroup, metadata: answer.metadata });
  const status = { phase: "Scheduling" };
  const kept = afterWrite(began, { ...write, answer: { ...answer, status } });
  assertEquals(kept.podGroup.status, status);
});

Deno.test("afterWrite(): what the watch has shown meanwhile stays", () => {
  const podGroup = { ...seen, status: { phase: "Running" } };
  assertEquals(afterWrite({ ...began, podGroup }, write), { ...began, podGroup, written });
});
