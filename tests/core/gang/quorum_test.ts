import { assertEquals } from "@std/assert";
import type { GangFacts, MatchPolicy } from "../../../shared/core/gang/facts.ts";
import {
  absent,
  gone,
  incompleteRoles,
  isOutOfReach,
  lost,
  missing,
} from "../../../shared/core/gang/quorum.ts";
import { profiles } from "../../../shared/core/gang/settings.ts";
import { gang, gangOfRoles, type RoleParts } from "../../support/facts.ts";

/** Whether a gang can not become whole any more when the scheduler refuses members, by their roles. */
const rows: [id: string, facts: GangFacts, failed: string[], isOut: boolean][] = [
  ["one to spare", gang({ minMember: 2, pending: 3 }), [""], false],
  ["none to spare", gang({ minMember: 2, pending: 2 }), [""], true],
  ["more refused than there are to spare", gang({ minMember: 1, pending: 2 }), ["", ""], true],
  ["those that have a node count", gang({ minMember: 2, bound: 1, pending: 2 }), [""], false],
  [
    "another role has one to spare",
    gangOfRoles({ ps: { min: 1, pending: 1 }, worker: { min: 1, pending: 3 } }),
    ["ps"],
    true,
  ],
  [
    "its own role has one to spare",
    gangOfRoles({ ps: { min: 1, pending: 1 }, worker: { min: 1, pending: 3 } }),
    ["worker"],
    false,
  ],
  [
    "a member of its role has succeeded",
    gangOfRoles({ ps: { min: 1, succeeded: 1, pending: 1 }, worker: { min: 1, pending: 3 } }),
    ["ps"],
    false,
  ],
  [
    "two members of its role have succeeded, and it lacks none",
    gangOfRoles({ ps: { min: 2, succeeded: 2 }, worker: { min: 1, pending: 4 } }),
    ["worker"],
    false,
  ],
];

for (const [id, facts, failed, isOut] of rows) {
  Deno.test(`isOutOfReach(): ${id}`, () => {
    const members = failed.map((role) => role === "" ? {} : { role });
    assertEquals(isOutOfReach(facts, members, profiles.default), isOut);
  });
}

const worker = { min: 1, held: ["w1", "w2", "w3"] };

/** Roles of a gang, how they are counted, and how many members more must be held. */
const lacking: [
  id: string,
  roles: Record<string, RoleParts>,
  matchPolicy: MatchPolicy,
  missing: number,
][] = [
  [
    "the gang has started, and a role has not",
    { ps: { min: 2, pending: 2 }, worker: { min: 1, bound: 1 } },
    "once-satisfied",
    2,
  ],
  [
    "of the role that has not one member is there",
    { ps: { min: 2, pending: 1 }, worker: { min: 1, bound: 1 } },
    "once-satisfied",
    2,
  ],
  [
    "of the role that has not no member is there",
    { ps: { min: 2 }, worker: { min: 1, bound: 1 } },
    "once-satisfied",
    0,
  ],
  [
    "every role has started",
    { ps: { min: 2, bound: 1, pending: 1 }, worker: { min: 1, bound: 1 } },
    "once-satisfied",
    0,
  ],
  [
    "bound members do not count",
    { ps: { min: 2, bound: 1, held: ["a"] }, worker },
    "only-waiting",
    1,
  ],
  ["they do", { ps: { min: 2, bound: 1, held: ["a"] }, worker }, "waiting-and-running", 0],
  [
    "one has succeeded, and as many as are needed may still come",
    { ps: { min: 2, pending: 1, held: ["a"], succeeded: 1 }, worker },
    "waiting-and-running",
    1,
  ],
  [
    "one has succeeded, and too few may still come",
    { ps: { min: 2, held: ["a"], succeeded: 1 }, worker },
    "waiting-and-running",
    0,
  ],
];

for (const [id, roles, matchPolicy, expect] of lacking) {
  Deno.test(`missing(): with roles, where ${id}`, () => {
    assertEquals(missing(gangOfRoles(roles), { matchPolicy }), expect);
  });
}

/** Gangs that run, what they lack, and how much of it is not there. */
const running: [id: string, facts: GangFacts, lost: number, gone: number][] = [
  ["a gang that does not run", gang({ minMember: 3, pending: 1 }), 0, 0],
  ["one that is whole", gang({ minMember: 2, bound: 2, pending: 1 }), 0, 0],
  ["one whose others wait", gang({ minMember: 4, bound: 2, held: 1, pending: 5 }), 1, 0],
  ["one whose others are gone", gang({ minMember: 4, bound: 1, pending: 1, gated: 1 }), 3, 2],
  ["one whose others are done", gang({ minMember: 4, bound: 2, succeeded: 2 }), 0, 0],
  [
    "one that runs with more than it needs of another role",
    gangOfRoles({ ps: { min: 2, bound: 1, pending: 1 }, worker: { min: 1, bound: 4 } }),
    1,
    0,
  ],
  [
    "one of a role of which nobody is left",
    gangOfRoles({ ps: { min: 2 }, worker: { min: 1, bound: 1, held: ["w1"] } }),
    2,
    2,
  ],
];

for (const [id, facts, expectLost, expectGone] of running) {
  Deno.test(`lost(): of ${id}, whatever its match policy`, () => {
    for (const matchPolicy of ["once-satisfied", "waiting-and-running", "only-waiting"] as const) {
      const one = { ...facts, gang: { ...facts.gang, matchPolicy } };
      assertEquals([lost(one), gone(one)], [expectLost, expectGone]);
    }
  });
}

Deno.test("absent(): members of a role that have succeeded are there", () => {
  const roles = { ps: { min: 2, pending: 1, succeeded: 1 }, worker: { min: 1, pending: 2 } };
  assertEquals(absent(gangOfRoles(roles)), 0);
  assertEquals(absent(gangOfRoles({ ...roles, ps: { min: 2, succeeded: 1 } })), 1);
});

Deno.test("quorum: who may not start without others stands for no member of the gang", () => {
  const some = (y: { held?: string[]; pending?: number }) =>
    gangOfRoles(
      { "a": { min: 1 }, "a/x": { min: 1, held: ["p", "q"] }, "a/y": { min: 2, ...y } },
      { minMember: 3 },
    );
  const { default: settings } = profiles;
  const one = some({ held: ["w1"] });
  assertEquals([missing(one, settings), absent(one)], [1, 1]);
  const comes = some({ held: ["w1"], pending: 1 });
  assertEquals([missing(comes, settings), absent(comes)], [1, 0]);
  assertEquals(isOutOfReach(comes, [{ role: "a/y" }], settings), true);
  const two = some({ held: ["w1", "w2"] });
  assertEquals([missing(two, settings), absent(two)], [0, 0]);
  assertEquals(isOutOfReach(two, [], settings), false);
});

Deno.test("quorum: who may not start without others is of use once these come", () => {
  const some = (y: { held?: string[]; pending?: number }, more: number) =>
    gangOfRoles(
      { "a": { min: 1 }, "a/x": { min: 1, held: ["p"] }, "a/y": { min: 9, ...y } },
      { minMember: 10 + more },
    );
  const { default: settings } = profiles;
  const held = ["w1", "w2", "w3"];
  const comes = some({ held, pending: 6 }, 0);
  assertEquals([missing(comes, settings), absent(comes)], [6, 0]);
  const lacks = some({ held, pending: 2 }, 0);
  assertEquals([missing(lacks, settings), absent(lacks)], [9, 4], "too few of them may come");
  const more = some({ held, pending: 6 }, 2);
  assertEquals([missing(more, settings), absent(more)], [8, 2]);
});

Deno.test("incompleteRoles(): a role that runs takes replacements, whatever another lacks that is within the same one", () => {
  const facts = gangOfRoles({
    "a": { min: 0 },
    "a/x": { min: 2 },
    "a/x/p": { min: 2, pending: 1 },
    "a/x/q": { min: 0, bound: 1, held: ["q2"] },
  }, { minMember: 1 });
  const rolesBy = (matchPolicy: MatchPolicy) => [
    ...incompleteRoles(facts, { matchPolicy }).keys(),
  ];
  assertEquals(rolesBy("once-satisfied"), ["a/x/p"]);
  assertEquals(rolesBy("waiting-and-running"), ["a/x/p", "a/x/q"]);
});
