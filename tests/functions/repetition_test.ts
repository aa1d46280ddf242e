import { assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { runs } from "../property/runs.ts";
import { at, gang, group, pod, together } from "../support/facts.ts";
import { Service } from "./service.ts";

const waiting = group(gang({ minMember: 2, held: ["a-0"], pending: 1 }));
const whole = group(gang({ minMember: 2, held: ["a-0", "a-1"] }));
const fit = { members: 0, of: 2, shortOf: "cpu" };
const lost = [{ pod: pod("x"), cause: "aborted" }];

const others: [stage: string, what: string, first: object, second: object][] = [
  ["permit", "more held members", waiting, whole],
  ["permit", "fewer held members", whole, waiting],
  ["permit", "other held members", whole, group(gang({ minMember: 2, held: ["a-0", "a-2"] }))],
  ["permit", "another minMember", waiting, group(gang({ minMember: 3, held: ["a-0"] }))],
  ["prefilter", "a fit", waiting, { ...waiting, fit }],
  ["prefilter", "another fit", { ...waiting, fit: { members: 2, of: 2 } }, { ...waiting, fit }],
  ["prefilter", "a gang ahead", waiting, { ...waiting, ahead: { gang: "a/b", since: at(0) } }],
  ["postfilter", "members that failed", { ...waiting, failed: [] }, {
    ...waiting,
    failed: [{ uid: "a-1", message: "no room" }],
  }],
  ["unreserve", "another lost member", { ...waiting, lost }, {
    ...waiting,
    lost: [{ ...lost[0]!, cause: "gone" }],
  }],
];

Deno.test("repetition: the same epoch with other facts is decided by the facts", async (t) => {
  for (const [stage, what, first, second] of others) {
    await t.step(`${stage} with ${what}`, async () => {
      await using service = new Service();
      const before = await service.post(`/v1/${stage}`, first);
      const after = await service.post(`/v1/${stage}`, second);
      assertEquals([before.status, after.status], [200, 200]);
      assertNotEquals(after.body, before.body);
    });
  }
});

Deno.test("repetition: the same call is answered alike, in whatever order its fields come", async () => {
  await using service = new Service();
  const first = await service.post("/v1/unreserve", { ...waiting, lost });
  const { gangs, relay } = waiting;
  const [{ gang: spec, ...facts }] = gangs as [typeof gangs[0]];
  const backwards = Object.fromEntries(Object.entries(spec!).toReversed());
  const again = { lost, gangs: [{ ...facts, gang: backwards }], relay, resources: [], unknown: 1 };
  assertEquals(await service.post("/v1/unreserve", again), first);
});

const held = fc.uniqueArray(fc.constantFrom("1", "2", "3", "4"));
const count = fc.nat(2);
const facts = fc.record({
  stage: fc.constantFrom("permit", "postfilter", "unreserve"),
  relay: fc.record({ id: fc.constantFrom("r", "s"), epoch: fc.nat(2) }),
  held: fc.tuple(held, held),
  minMember: fc.integer({ min: 1, max: 4 }),
  mode: fc.constantFrom("Strict", "NonStrict"),
  isParked: fc.boolean(),
  counts: fc.record({ pending: count, bound: count, terminating: count, failed: count }),
  cause: fc.constantFrom("aborted", "bind-failed", "deleted", "node-lost", "gone"),
  failed: fc.array(fc.constantFrom("5", "6"), { maxLength: 2 }),
});

Deno.test("property: every decision names every held member of its facts, and no other", async () => {
  await using service = new Service();
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { minLength: 1, maxLength: 8 }), async (calls) => {
      const namespace = `n${++histories}`;
      for (
        const { stage, relay, held, minMember, mode, isParked, counts, cause, failed } of calls
      ) {
        const gangs = ["a", "b"].map((name, index) => {
          const uids = held[index]!.map((uid) => `${name}-${uid}`);
          const parts = { namespace, name, minMember, mode, ...counts } as const;
          return gang({ ...parts, held: uids, ...(isParked && { parked: true }) });
        });
        const { status, body } = await service.post(`/v1/${stage}`, {
          ...together(...gangs),
          relay,
          failed: failed.map((uid) => ({ uid, message: "no room", gang: `${namespace}/a` })),
          lost: [{ pod: pod("lost"), cause, gang: `${namespace}/a` }],
        });
        assertEquals(status, 200);
        const named = [...body.allow, ...body.wait, ...body.reject];
        const told = gangs.flatMap((facts) => facts.held.map(({ uid }) => uid));
        assertEquals(named.toSorted(), told.toSorted());
      }
    }),
    runs(150),
  );
});
