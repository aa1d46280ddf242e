import { assertEquals, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { GangFacts, GangSpec } from "../../shared/core/gang/facts.ts";
import { at, gang, group, pod } from "../support/facts.ts";
import { Service } from "./service.ts";

Deno.test("gangs: a cluster without gangs is an empty list", async () => {
  await using service = new Service();
  assertEquals(await service.request("/v1/gangs"), {
    status: 200,
    type: "application/json",
    body: { gangs: [] },
  });
});

Deno.test("gangs: an unknown gang is a 404 that names it", async () => {
  await using service = new Service();
  const { status, type, body } = await service.request("/v1/gangs/default/a");
  assertEquals([status, type], [404, "application/problem+json"]);
  assertEquals(body.detail, 'No gang "default/a" is known: /v1/gangs lists all');
});

Deno.test("gangs: KO-DBG-1 what is known of a gang, and why it is pending", async () => {
  await using service = new Service();
  const facts = gang({ minMember: 3, held: 1, pending: 2, priority: 5 });
  await service.post("/v1/prefilter", { ...group(facts), relay: { id: "r", epoch: 1 } });
  const asked = await service.post("/v1/permit", { ...group(facts), relay: { id: "r", epoch: 2 } });
  const { status, body } = await service.request("/v1/gangs/default/a");
  assertEquals(status, 200);
  assertObjectMatch(body, {
    namespace: "default",
    name: "a",
    group: "default/a",
    phase: "Scheduling",
    minMember: 3,
    members: { pending: 2, held: 1, bound: 0 },
    reason: "WaitingForMembers",
    message: asked.body.message,
    deadline: asked.body.deadline,
    place: 1,
    ahead: [],
    help: "look at the members without a node, until the deadline",
    since: body.updatedAt,
    spec: { priority: 5, createdAt: at(-60) },
  });
  assertEquals(
    body.decisions.map(({ stage, verdict }: Record<string, string>) => `${stage} ${verdict}`),
    ["permit wait", "prefilter allow"],
  );
});

Deno.test("gangs: who could never fit is told to add nodes or to ask for less, and not to wait", async () => {
  await using service = new Service();
  const facts = gang({ minMember: 1, pending: 1 });
  const fit = { members: 0, of: 1, shortOf: "nvidia.com/gpu" };
  const impossible = { scope: "member", resource: "nvidia.com/gpu", asks: 8, largest: 4 };
  const helpWith = async (epoch: number, fit: unknown) => {
    await service.post("/v1/prefilter", { ...group(facts), relay: { id: "r", epoch }, fit });
    return (await service.request("/v1/gangs/default/a")).body.help;
  };
  assertStringIncludes(await helpWith(1, fit), "wait until other pods end");
  assertEquals(
    await helpWith(2, { ...fit, impossible }),
    "add nodes (to try it: kubectl muster simulate --help), or ask for less: waiting does not help",
  );
  assertStringIncludes(await helpWith(3, fit), "wait until other pods end");
});

Deno.test("gangs: the list says the same of a gang as the gang itself, of held members when they are asked about again", async () => {
  await using service = new Service();
  const tell = (stage: string, epoch: number, facts: GangFacts) =>
    service.post(`/v1/${stage}`, { ...group(facts), relay: { id: "r", epoch } });
  const listed = async () => (await service.request("/v1/gangs")).body.gangs[0].reason;
  const known = async () => (await service.request("/v1/gangs/default/a")).body.reason;
  const steps: [stage: string, facts: GangFacts, known: string, listed: string][] = [
    ["prefilter", gang({ minMember: 2, pending: 1 }), "MembersMissing", "MembersMissing"],
    ["prefilter", gang({ minMember: 2, pending: 2 }), "Admitted", "MembersMissing"],
    ["prefilter", gang({ minMember: 2, pending: 2 }), "Admitted", "Admitted"],
    ["permit", gang({ minMember: 2, held: 1, pending: 1 }), "WaitingForMembers", "Admitted"],
    [
      "permit",
      gang({ minMember: 2, held: 1, pending: 1 }),
      "WaitingForMembers",
      "WaitingForMembers",
    ],
    ["permit", gang({ minMember: 2, held: 2 }), "Satisfied", "WaitingForMembers"],
    ["prefilter", gang({ minMember: 2, bound: 2 }), "Satisfied", "Satisfied"],
  ];
  for (const [index, [stage, facts, ...expected]] of steps.entries()) {
    await tell(stage, index + 1, facts);
    assertEquals([await known(), await listed()], expected, `step ${index + 1}: ${stage}`);
  }
  const { decisions: _, spec: __, place: ___, ahead: ____, ...summary } =
    (await service.request("/v1/gangs/default/a")).body;
  const { gangs: [line] } = (await service.request("/v1/gangs")).body;
  assertEquals(line, { ...summary, queueKey: line.queueKey });
});

for (
  const [what, facts, phase] of [
    ["one that has ended", gang({ minMember: 2, succeeded: 2 }), "Finished"],
    ["one of which others are gone", gang({ minMember: 2, running: 1 }), "Pending"],
  ] as const
) {
  Deno.test(`gangs: nobody is held of ${what} as soon as it was bound, so that the list is told of it at once`, async () => {
    await using service = new Service();
    const tell = (stage: string, epoch: number, facts: GangFacts) =>
      service.post(`/v1/${stage}`, { ...group(facts), relay: { id: "r", epoch } });
    await tell("prefilter", 1, gang({ minMember: 2, pending: 2 }));
    await tell("permit", 2, gang({ minMember: 2, held: 2 }));
    await tell("prefilter", 3, facts);
    const { gangs: [line] } = (await service.request("/v1/gangs")).body;
    assertEquals([line.phase, line.members], [phase, { ...facts.census, held: 0 }]);
  });
}

Deno.test("gangs: the list comes in pages, by namespace and name", async () => {
  await using service = new Service();
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names.toReversed()) {
    await service.post("/v1/prefilter", group(gang({ name, pending: 1 })));
  }
  const pages: string[][] = [];
  for (let path: string | undefined = "/v1/gangs?limit=2"; path;) {
    const { body } = await service.request(path);
    pages.push(body.gangs.map(({ name }: { name: string }) => name));
    path = body.continue && `/v1/gangs?limit=2&continue=${encodeURIComponent(body.continue)}`;
  }
  assertEquals(pages, [["a", "b"], ["c", "d"], ["e"]]);
  assertEquals((await service.request("/v1/gangs?limit=5")).body.continue, undefined);
});

for (
  const query of [
    "limit=0",
    "limit=501",
    "limit=x",
    "limit=0x10",
    "limit=1e1",
    `continue=${"x".repeat(600)}`,
  ]
) {
  Deno.test(`gangs: ${query.slice(0, 20)} is a 400`, async () => {
    await using service = new Service();
    const { status, body } = await service.request(`/v1/gangs?${query}`);
    assertEquals([status, body.errors[0].path], [400, query.split("=")[0]]);
  });
}

Deno.test("gangs: a failed round is shown with its time and reason", async () => {
  await using service = new Service();
  const facts = group(gang({ minMember: 2, held: 1, pending: 1 }));
  const lost = [{ pod: pod("a-9"), cause: "deleted" }];
  const asked = await service.post("/v1/unreserve", { ...facts, lost });
  const { body } = await service.request("/v1/gangs/default/a");
  assertEquals([body.reason, body.failedAt], ["MemberLost", asked.body.failedAt]);
  assertEquals(body.deadline, undefined);
});

Deno.test("gangs: places follow the queue, and bound gangs have none", async () => {
  await using service = new Service();
  const gangs = [
    gang({ name: "young", createdAt: at(-1), pending: 1 }),
    gang({ name: "old", createdAt: at(-9), pending: 1 }),
    gang({ name: "urgent", createdAt: at(0), priority: 9, pending: 1 }),
    gang({ name: "running", createdAt: at(-99), running: 1 }),
  ];
  for (const facts of gangs) await service.post("/v1/prefilter", group(facts));
  const places = [];
  const ahead = [];
  for (const { gang: { name } } of gangs) {
    const { body } = await service.request(`/v1/gangs/default/${name}`);
    places.push(body.place);
    ahead.push(body.ahead);
  }
  assertEquals(places, [3, 2, 1, undefined]);
  assertEquals(ahead, [["default/old", "default/urgent"], ["default/urgent"], [], undefined]);
  const { body } = await service.request("/v1/gangs");
  assertEquals(
    body.gangs.map(({ name, phase }: Record<string, string>) => `${name} ${phase}`),
    ["old Scheduling", "running Running", "urgent Scheduling", "young Scheduling"],
  );
});

/** Says that the gang's last pod is gone. */
async function end(service: Service, epoch: number, facts = gang()): Promise<void> {
  const lost = [{ pod: pod("a-0"), cause: "gone" }];
  const gone = { ...group(facts), relay: { id: "relay", epoch }, lost };
  assertEquals((await service.post("/v1/unreserve", gone)).body.reason, "Gone");
}

Deno.test("gangs: KO-DF-10 a gang that is gone is among the gangs no more, and its story is kept", async () => {
  await using service = new Service();
  const facts = { ...group(gang({ minMember: 2, pending: 1 })), relay: { id: "relay", epoch: 1 } };
  await service.post("/v1/prefilter", facts);
  const before = (await service.request("/v1/gangs/default/a")).body;
  assertEquals(before.ended, undefined);
  await end(service, 2);
  const { status, body } = await service.request("/v1/gangs/default/a");
  const message = "gang default/a ended before it started: its pods were deleted";
  assertEquals([status, body.ended.message, body.place], [200, message, undefined]);
  assertEquals([body.message, body.decisions], [before.message, before.decisions]);
  const list = (await service.request("/v1/gangs")).body;
  assertEquals(list.gangs, []);
  assertEquals(list.ended.map(({ name, ended }: typeof body) => [name, ended.message]), [
    ["a", message],
  ]);
  await end(service, 3);
  assertEquals((await service.request("/v1/gangs")).body, list, "told twice, it ended once");
});

Deno.test("gangs: one that is gone is listed among those that ended, though others of its group are there", async () => {
  await using service = new Service();
  const groups = ["default/a", "default/b"];
  const [a, b] = ["a", "b"].map((name) => gang({ name, groups, minMember: 1, running: 1 }));
  const listedWith = async (epoch: number, gangs: readonly GangFacts[]) => {
    await service.post("/v1/prefilter", { ...group(a!), gangs, relay: { id: "r", epoch } });
    const { gangs: listed, ended = [] } = (await service.request("/v1/gangs")).body;
    return [listed, ended].map((some) => some.map(({ name }: GangSpec) => name));
  };
  assertEquals(await listedWith(1, [a!, b!]), [["a", "b"], []]);
  assertEquals(await listedWith(2, [b!]), [["b"], ["a"]]);
  const { status, body } = await service.request("/v1/gangs/default/a");
  const message = "gang default/a ended while it ran: its pods were deleted";
  assertEquals([status, body.ended.message], [200, message]);
  assertEquals(await listedWith(3, [b!]), [["b"], ["a"]], "it ended once");
  assertEquals(await listedWith(4, [a!, b!]), [["a", "b"], ["a"]], "it came again");
});

Deno.test("gangs: how a gang ended is told from when it had its members last, and by whom it was preempted", async () => {
  await using service = new Service();
  let epoch = 0;
  const live = async (...looks: GangFacts[]) => {
    for (const look of looks) {
      await service.post("/v1/prefilter", {
        ...group(look),
        relay: { id: "relay", epoch: ++epoch },
      });
    }
  };
  const preempted = { members: 2, by: "gang default/high of higher priority" };
  await live(gang({ minMember: 2, running: 2 }), gang({ minMember: 2, succeeded: 2 }));
  await live(gang({ minMember: 2, succeeded: 1 }));
  await end(service, ++epoch);
  await live(gang({ minMember: 2, running: 2 }), gang({ minMember: 2, terminating: 2 }));
  await end(service, ++epoch, { ...gang({ minMember: 2 }), preempted });
  await live(gang({ minMember: 2, running: 2 }));
  const { body } = await service.request("/v1/gangs/default/a");
  assertEquals([body.phase, body.ended], ["Running", undefined]);
  assertEquals(body.earlier.map(({ message }: { message: string }) => message), [
    "gang default/a ended: 2 members were preempted by gang default/high of higher priority",
    "gang default/a ended: 2 members succeeded",
  ]);
});

Deno.test("gangs: pods that are left to another scheduler are no gang that has ended", async () => {
  await using service = new Service();
  const facts = gang({ minMember: 2, pending: 2 });
  await service.post("/v1/prefilter", { ...group(facts), relay: { id: "relay", epoch: 1 } });
  await end(service, 2, gang({ minMember: 2, foreign: 1 }));
  assertEquals((await service.request("/v1/gangs")).body, { gangs: [] });
});

Deno.test("gangs: one that starts only after it was mended has no place in the queue", async () => {
  await using service = new Service();
  const problem = { reason: "InvalidMinMember", message: "no usable quorum" };
  const gangs = [
    gang({ name: "invalid", createdAt: at(-99), pending: 1, problem }),
    gang({ name: "parked", createdAt: at(-98), pending: 1, parked: true }),
    gang({ name: "waits", pending: 1 }),
  ];
  const places = [];
  for (const facts of gangs) await service.post("/v1/prefilter", group(facts));
  for (const { gang: { name } } of gangs) {
    places.push((await service.request(`/v1/gangs/default/${name}`)).body.place);
  }
  assertEquals(places, [undefined, undefined, 1]);
});

Deno.test("gangs: where there is too little room, how much there is", async () => {
  await using service = new Service();
  const facts = group(gang({ minMember: 6, pending: 6 }));
  const fit = { members: 2, of: 6, shortOf: "nvidia.com/gpu" };
  await service.post("/v1/prefilter", { ...facts, fit });
  assertEquals((await service.request("/v1/gangs")).body.gangs[0].fit, { members: 2, of: 6 });
});

Deno.test("gangs: the last twenty decisions are kept, each once", async () => {
  await using service = new Service();
  const ask = (epoch: number, minMember: number) =>
    service.post("/v1/prefilter", {
      ...group(gang({ minMember, pending: 1 })),
      relay: { id: "relay", epoch },
    });
  for (let epoch = 1; epoch <= 30; epoch++) await ask(epoch, Math.floor(epoch / 2) * 2 + 2);
  const { body } = await service.request("/v1/gangs/default/a");
  assertEquals(body.decisions.length, 16);
  for (let epoch = 31; epoch <= 70; epoch++) await ask(epoch, epoch);
  const later = (await service.request("/v1/gangs/default/a")).body.decisions;
  assertEquals(later.length, 20);
  assertEquals(
    later[0].message,
    "gang default/a has 1 of 70 members: waiting for 69 more pods to be created",
  );
});

Deno.test("gangs: names that are escaped find their gang", async () => {
  await using service = new Service();
  await service.post("/v1/prefilter", group(gang({ name: "a_b.C", pending: 1 })));
  const { status, body } = await service.request("/v1/gangs/default/%61%5Fb.C");
  assertEquals([status, body.name], [200, "a_b.C"]);
  assertEquals((await service.request("/v1/gangs/default/%zz")).status, 404);
});

Deno.test("gangs: since when the reason is the same, whatever changes in number", async () => {
  await using service = new Service();
  const since = async (members: number, epoch: number) => {
    const facts = group(gang({ minMember: 5, pending: members }));
    await service.post("/v1/prefilter", { ...facts, relay: { id: "r", epoch } });
    const { body } = await service.request("/v1/gangs/default/a");
    return [body.reason, body.since];
  };
  const first = await since(1, 1);
  assertEquals(first[0], "MembersMissing");
  assertEquals(await since(3, 2), first);
  assertEquals((await since(5, 3))[0], "Admitted");
});

Deno.test("gangs: string order of the keys in lists is the order of the queue", async () => {
  await using service = new Service();
  const gangs = [
    gang({ name: "a", createdAt: at(-1), pending: 1 }),
    gang({ name: "b", createdAt: at(-9), pending: 1 }),
    gang({ name: "c", createdAt: at(-99), running: 1 }),
  ];
  for (const facts of gangs) await service.post("/v1/prefilter", group(facts));
  const { body } = await service.request("/v1/gangs");
  const [a, b, c] = body.gangs.map(({ queueKey }: { queueKey?: string }) => queueKey);
  assertEquals([b < a, c], [true, undefined]);
});
