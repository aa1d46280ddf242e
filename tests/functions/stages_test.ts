import { assertEquals, assertGreater, assertObjectMatch } from "@std/assert";
import type { Group } from "../../shared/core/gang/facts.ts";
import { at, gang, group, pod } from "../support/facts.ts";
import { Service } from "./service.ts";

const waiting = group(gang({ minMember: 2, held: 1, pending: 1 }));
const whole = group(gang({ minMember: 2, held: 2 }));
const placed = group(gang({ minMember: 2, bound: 2 }));

function told(epoch: number, given: Group, id = "relay"): Group {
  return { ...given, relay: { id, epoch } };
}

Deno.test("functions: each stage answers", async () => {
  await using service = new Service();
  const failed = [{ uid: "a-1", message: "no room" }];
  const lost = [{ pod: pod("a-1"), cause: "aborted" }];
  const units = [
    { id: "late", priority: 0, queuedAt: at(2) },
    { id: "early", priority: 0, queuedAt: at(1) },
  ];
  const cases: [path: string, body: unknown, expect: Record<string, unknown>][] = [
    ["/v1/prefilter", told(1, waiting), { verdict: "allow", reason: "Admitted" }],
    ["/v1/permit", told(2, waiting), {
      verdict: "wait",
      wait: ["a-0"],
      need: 1,
      reason: "WaitingForMembers",
    }],
    ["/v1/permit", told(3, whole), { verdict: "allow", allow: ["a-0", "a-1"] }],
    ["/v1/unreserve", { ...told(4, waiting), lost }, { verdict: "reject", reason: "MemberLost" }],
    ["/v1/prefilter", told(5, waiting), { verdict: "reject", reason: "MemberLost" }],
    ["/v1/permit", told(6, whole), { verdict: "allow" }],
    ["/v1/postfilter", { ...told(7, waiting), failed }, {
      verdict: "reject",
      reject: ["a-0"],
      reason: "MemberUnschedulable",
    }],
  ];
  for (const [path, body, expect] of cases) {
    const answer = await service.post(path, body);
    assertEquals([answer.status, answer.type], [200, "application/json"], path);
    assertObjectMatch(answer.body, expect);
  }
  const { body } = await service.post("/v1/queue-sort", { units });
  const [late, early] = body.keys;
  assertEquals([late.id, early.id], ["late", "early"]);
  assertGreater(late.key, early.key);
});

Deno.test("functions: the same call with the same epoch gets the same answer", async () => {
  await using service = new Service();
  const first = await service.post("/v1/permit", told(1, waiting));
  assertEquals(await service.post("/v1/permit", told(1, waiting)), first);
  await service.post("/v1/permit", told(2, whole));
  const stale = await service.post("/v1/permit", told(1, waiting));
  assertEquals([stale.status, stale.body.verdict], [200, "wait"]);
});

Deno.test("functions: a wait keeps its deadline from call to call", async () => {
  await using service = new Service();
  const first = await service.post("/v1/permit", told(1, waiting));
  const second = await service.post("/v1/permit", told(2, waiting));
  assertEquals(second.body.deadline, first.body.deadline);
});

Deno.test("functions: a gang group has one object, whichever of its gangs is named first", async () => {
  await using service = new Service();
  const groups = ["default/a", "default/b"];
  const a = gang({ minMember: 2, held: 1, pending: 1, groups });
  const b = gang({ name: "b", minMember: 1, held: 1, groups });
  const first = await service.post("/v1/permit", told(1, group(a, b)));
  const second = await service.post("/v1/permit", told(2, group(b, a)));
  assertEquals(second.body.deadline, first.body.deadline);
  assertEquals((await service.request("/v1/gangs")).body.gangs.length, 2);
});

Deno.test("functions: unknown fields are ignored", async () => {
  await using service = new Service();
  const { gangs, relay } = waiting;
  const known = await service.post("/v1/permit", told(1, waiting));
  const extended = await service.post("/v1/permit", {
    relay: { ...relay, id: "other", version: "9" },
    gangs: gangs.map((facts) => ({ ...facts, colour: "red", gang: { ...facts.gang, x: [{}] } })),
    futureField: { deep: [1, 2] },
  });
  assertEquals(extended.status, 200);
  assertEquals(extended.body.message, known.body.message);
});

Deno.test("functions: two clusters do not see each other's gangs", async () => {
  await using service = new Service();
  const one = { "x-muster-cluster": "one" };
  const two = { "x-muster-cluster": "two" };
  await service.post("/v1/unreserve", {
    ...waiting,
    lost: [{ pod: pod("a-1"), cause: "aborted" }],
  }, one);
  assertEquals((await service.post("/v1/prefilter", told(2, waiting), one)).body.verdict, "reject");
  assertEquals((await service.post("/v1/prefilter", told(2, waiting), two)).body.verdict, "allow");
  assertEquals((await service.request("/v1/gangs")).body, { gangs: [] });
  const { body } = await service.request("/v1/gangs", { headers: one });
  assertEquals(body.gangs.length, 1);
});

Deno.test("functions: profile kep says which gang the last one was, and says so again to a repeated call (S0)", async () => {
  await using service = new Service({ MUSTER_PROFILE: "kep" });
  const [first, second] = ["first", "second"].map((name) =>
    group(gang({ name, minMember: 2, held: 1, pending: 1 }))
  );
  const letIn = (epoch: number, facts: Group) =>
    service.post("/v1/prefilter", told(epoch, facts)).then(({ body }) => body);
  assertEquals((await letIn(1, first!)).askAgain, undefined);
  const answer = await letIn(2, second!);
  assertEquals(answer.askAgain, "default/first");
  assertEquals(await letIn(2, second!), answer);

  // The first one comes back; what is repeated from before does not abandon it once more.
  assertEquals((await letIn(3, first!)).askAgain, "default/second");
  assertEquals(await letIn(2, second!), answer);
  assertEquals((await letIn(4, first!)).askAgain, undefined);
});

Deno.test("functions: a failed gang is behind its equals until it is whole", async () => {
  await using service = new Service();
  const spec = waiting.gangs[0]!.gang;
  const units = [
    { id: "failed", gang: spec, priority: 0, queuedAt: at(0) },
    { id: "pod", priority: 0, queuedAt: at(0) },
  ];
  const order = async () => {
    const { body } = await service.post("/v1/queue-sort", { units });
    return body.keys.toSorted((a: { key: string }, b: { key: string }) => a.key < b.key ? -1 : 1)
      .map(({ id }: { id: string }) => id);
  };
  assertEquals(await order(), ["failed", "pod"]);
  const lost = [{ pod: pod("a-1"), cause: "aborted" }];
  await service.post("/v1/unreserve", { ...told(1, waiting), lost });
  assertEquals(await order(), ["pod", "failed"]);
  await service.post("/v1/permit", told(2, whole));
  await service.post("/v1/prefilter", told(3, placed));
  assertEquals(await order(), ["failed", "pod"]);
});

Deno.test("functions: the profile rules", async () => {
  await using service = new Service({ MUSTER_PROFILE: "sigs" });
  const running = group(gang({ minMember: 3, running: 1, held: 1, pending: 1 }));
  assertEquals((await service.post("/v1/permit", running)).body.verdict, "wait");
});

Deno.test("functions: every answer names its request", async () => {
  await using service = new Service();
  const response = await service.fetch("/v1/permit", {
    method: "POST",
    headers: { "x-request-id": "r-1", "x-muster-cluster": "no spaces" },
  });
  assertEquals([response.status, response.headers.get("x-request-id")], [400, "r-1"]);
  await response.body?.cancel();
});
