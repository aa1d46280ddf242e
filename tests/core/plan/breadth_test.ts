import { assertEquals } from "@std/assert";
import { plan } from "../../../shared/core/plan/planner.ts";
import type { Waiting } from "../../../shared/core/plan/world.ts";
import { now, type WaitingGang, worldOf } from "../../support/planned.ts";

const seq = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Gangs of one member, each of another kind, that find no room. */
const large = seq(2100).map((at): WaitingGang => ({
  name: `large${at}`,
  members: [{ count: 1, gpus: 10 + at }],
}));

/** What becomes of gangs of one namespace in a plan: who is ahead, or whether it is placed. */
function plannedIn(gangs: WaitingGang[], changed: (group: Waiting) => Waiting = (group) => group) {
  const world = worldOf({ nodes: { a: "8", b: "8" }, gangs });
  const waiting = world.waiting.map(changed);
  const { byGroup } = plan({ ...world, waiting }, now);
  return (name: string) => {
    const { ahead, taken, fit } = byGroup.get(`default/${name}`)!;
    // Of room nothing is said.
    if (ahead) assertEquals(fit.members, fit.of);
    return ahead ?? taken !== undefined;
  };
}

Deno.test("breadth: behind gangs of very many kinds others of their namespace wait, but for such as are alike", () => {
  const alike = { name: "alike", members: [{ count: 1, gpus: 10 }] };
  const small = { name: "small", members: [{ count: 1 }] };
  const shortSince = now - 5000;
  const waits = plannedIn([...large, alike, { ...small, group: { shortSince } }]);
  assertEquals([waits("large1"), waits("alike")], [false, false]);
  const since = (at: number) => ({ gang: "default/large0", since: new Date(at).toISOString() });
  assertEquals([waits("large2099"), waits("small")], [since(now), since(shortSince)]);
  assertEquals(plannedIn([...large.slice(0, 100), small])("small"), true);
});

Deno.test("breadth: a gang of another namespace is in nobody's way", () => {
  const other = plannedIn([...large, { name: "small", members: [{ count: 1 }] }], (group) => {
    if (group.id !== "default/small") return group;
    const [{ facts, ...rest }] = group.gangs() as [ReturnType<Waiting["gangs"]>[number]];
    const gang = { ...facts.gang, namespace: "other" };
    return { ...group, gangs: () => [{ ...rest, facts: { ...facts, gang } }] };
  });
  assertEquals(other("small"), true);
});

Deno.test("breadth: one gang that has too many kinds by itself keeps nobody behind", () => {
  const members = large.flatMap(({ members }) => members);
  const beside = plannedIn([{ name: "one", members }, { name: "small", members: [{ count: 1 }] }]);
  assertEquals(beside("small"), true);
});

Deno.test("breadth: members with very many rules of where they may run weigh as much as many kinds", () => {
  const ruled = (count: number) =>
    plannedIn([...large.slice(0, 10), { name: "small", members: [{ count: 1 }] }], (group) => {
      const gangs = group.gangs().map(({ candidates, ...rest }) => ({
        ...rest,
        candidates: candidates.map((each) => ({ ...each, rules: count })),
      }));
      return { ...group, gangs: () => gangs };
    })("small");
  assertEquals([ruled(5), ruled(1000)], [true, {
    gang: "default/large0",
    since: new Date(now).toISOString(),
  }]);
});

Deno.test("breadth: each topology weighs as much as some kinds, the more the more levels it names", () => {
  const isLookedAt = (count: number, preferred: readonly string[]) =>
    plannedIn(
      seq(count).map((at): WaitingGang => ({
        name: `g${at}`,
        members: [{ count: 1 }],
        topology: { required: `level${at}`, preferred },
      })),
    )(`g${count - 1}`) === false;
  assertEquals([isLookedAt(600, []), isLookedAt(700, []), isLookedAt(600, ["rack"])], [
    true,
    false,
    false,
  ]);
});

Deno.test("breadth: roles of one kind weigh as much as one", () => {
  const roles = seq(60).map((at) => ({ name: `r${at}`, min: 1 }));
  const gangs = seq(50).map((at): WaitingGang => ({
    name: `g${at}`,
    members: roles.map(({ name: role }) => ({ count: 1, gpus: 10 + at, role })),
    roles,
  }));
  assertEquals(plannedIn([...gangs, { name: "small", members: [{ count: 1 }] }])("small"), true);
});
