import { assertEquals, assertStringIncludes } from "@std/assert";
import { abandon } from "../../../shared/core/stage/gang_switch.ts";
import { queueKeys } from "../../../shared/core/queue/order.ts";
import { type ProfileName, profiles, type Settings } from "../../../shared/core/gang/settings.ts";
import { emptyState, type GroupState } from "../../../shared/core/stage/state.ts";
import { step } from "../../../shared/core/stage/step.ts";
import { at, gang, group, now } from "../../support/facts.ts";

const { kep, koordinator, sigs } = profiles;
const kubeBatch = profiles["kube-batch"];

function permit(
  state: GroupState,
  facts: ReturnType<typeof group>,
  { settings, after = 0 }: { settings: Settings; after?: number },
) {
  const told = { ...facts, relay: { id: "relay", epoch: after + 1 } };
  return step(state, { stage: "permit", group: told, settings }, now + after * 1000);
}

/** One of two members is held, the other may still come. */
const waiting = group(gang({ minMember: 2, held: 1, pending: 1 }));

/** S0 10 s, S1 10 s, S3 600 s, S4 as long as one call may last. */
for (
  const [name, seconds] of [["default", 60], ["kep", 10], ["sigs", 10], ["koordinator", 600], [
    "kube-batch",
    3400,
  ]] as const
) {
  Deno.test(`profile ${name}: a member waits ${seconds} s for its siblings`, () => {
    const { outcome } = permit(emptyState, waiting, { settings: profiles[name] });
    assertEquals([outcome.verdict, outcome.deadline], ["wait", at(seconds)]);
  });
}

/** As section 9 of the design has them; how long a gang is closed follows from the scheduler's largest back-off. */
const designed: Record<ProfileName, readonly unknown[]> = {
  default: [
    "creation-or-failure",
    false,
    "once-satisfied",
    60,
    false,
    "fail-round",
    4,
  ],
  kep: ["failure", true, "waiting-and-running", 10, false, "let-nobody-go", 0],
  sigs: ["creation", false, "waiting-and-running", 10, false, "let-nobody-go", 0],
  koordinator: ["creation", false, "once-satisfied", 600, true, "fail-round-at-once", 4],
  "kube-batch": ["creation", false, "waiting-and-running", 3400, false, "let-nobody-go", 0],
};

Deno.test("profiles: each setting of each profile is as its source has it", () => {
  for (const [name, profile] of Object.entries(profiles)) {
    const { queueTime, gangSwitch, matchPolicy, waitSeconds, ...rest } = profile;
    const { parkAfterTimeout, memberFailure, closedSeconds } = rest;
    const order = [queueTime, gangSwitch, matchPolicy, waitSeconds];
    assertEquals(
      [...order, parkAfterTimeout, memberFailure, closedSeconds],
      designed[name as ProfileName],
      name,
    );
  }
});

Deno.test("profile koordinator: a gang that timed out is parked, and a repeated answer says so again (S3)", () => {
  const { state } = permit(emptyState, waiting, { settings: koordinator });
  const over = permit(state, waiting, { settings: koordinator, after: 600 });
  assertEquals([over.outcome.verdict, over.outcome.reason, over.outcome.park], [
    "reject",
    "TimedOut",
    true,
  ]);
  const again = permit(over.state, waiting, { settings: koordinator, after: 601 });
  assertEquals([again.outcome.verdict, again.outcome.park], ["reject", true]);
});

Deno.test("profile koordinator: a parked gang is not tried again until it is freed (S3)", () => {
  const parked = group(gang({ minMember: 2, pending: 2, parked: true }));
  const ask = (facts: typeof parked) =>
    step(emptyState, { stage: "prefilter", group: facts, settings: koordinator }, now).outcome;
  assertEquals([ask(parked).verdict, ask(parked).reason], ["reject", "Parked"]);
  assertEquals(ask(group(gang({ minMember: 2, pending: 2 }))).verdict, "allow");
});

for (const name of ["default", "kep", "sigs", "kube-batch"] as const) {
  Deno.test(`profile ${name}: a gang that timed out is tried again`, () => {
    const settings = profiles[name];
    const { state } = permit(emptyState, waiting, { settings });
    const over = permit(state, waiting, { settings, after: settings.waitSeconds });
    assertEquals([over.outcome.verdict, over.outcome.park], ["reject", undefined]);
    const open = settings.waitSeconds + settings.closedSeconds + 1;
    const later = { ...waiting, relay: { id: "relay", epoch: 9999 } };
    const { outcome } = step(
      over.state,
      { stage: "prefilter", group: later, settings },
      now + open * 1000,
    );
    assertEquals(outcome.verdict, "allow");
  });
}

Deno.test("profile kep: a gang that comes while the last one is incomplete lets its held members go (S0)", () => {
  const { state } = permit(emptyState, waiting, { settings: kep });
  const { outcome, state: after } = permit(abandon(state, "default/b"), waiting, {
    settings: kep,
    after: 1,
  });
  assertEquals([outcome.verdict, outcome.reason, outcome.reject], ["reject", "GangSwitched", [
    "a-0",
  ]]);
  assertStringIncludes(outcome.message, "when gang default/b came");
  assertEquals(after.failure?.at, now + 1000);
});

Deno.test("profile kep: a gang without held members is not abandoned (S0)", () => {
  assertEquals(abandon(emptyState, "default/b"), emptyState);
});

Deno.test("profile kep: the queue's order is that of the last failure, from first sight on (S0)", () => {
  const unit = (name: string) => ({
    id: name,
    gang: gang({ name }).gang,
    priority: 0,
    queuedAt: at(0),
  });
  const failedAt = new Map([["default/a", now + 5000], ["default/b", now]]);
  const order = (settings: Settings) =>
    queueKeys([unit("a"), unit("b")], { failedAt, settings })
      .sort((x, y) => x.key < y.key ? -1 : 1).map(({ id }) => id);
  assertEquals(order(kep), ["b", "a"]);
  assertEquals(order(sigs), ["a", "b"]);
});

/** Four of five are held and one failed; whether the siblings are let go. */
const oneFailed = group(gang({ minMember: 5, held: 4, pending: 1 }));
/** One more than needed: quorum is still in reach. */
const spare = group(gang({ minMember: 4, held: 3, pending: 2 }));
const failures: [
  profile: keyof typeof profiles,
  lastOne: "reject" | "wait",
  spareOne: "reject" | "wait",
][] = [
  ["default", "reject", "wait"],
  ["kep", "wait", "wait"],
  ["sigs", "wait", "wait"],
  ["koordinator", "reject", "reject"],
  ["kube-batch", "wait", "wait"],
];

for (const [profile, lastOne, spareOne] of failures) {
  Deno.test(`profile ${profile}: a member that fails its filter`, () => {
    const failed = [{ uid: "x", message: "0/1 nodes are available" }];
    const verdict = (facts: typeof oneFailed) =>
      step(
        emptyState,
        { stage: "postfilter", group: facts, failed, settings: profiles[profile] },
        now,
      ).outcome.verdict;
    assertEquals([verdict(oneFailed), verdict(spare)], [lastOne, spareOne]);
  });
}

Deno.test("profile koordinator: a member's failure lets nobody of a NonStrict gang go (S3)", () => {
  const facts = group(gang({ minMember: 5, held: 4, pending: 1, mode: "NonStrict" }));
  const failed = [{ uid: "x", message: "0/1 nodes are available" }];
  const { outcome } = step(emptyState, {
    stage: "postfilter",
    group: facts,
    failed,
    settings: koordinator,
  }, now);
  assertEquals(outcome.verdict, "wait");
});

Deno.test("profile kube-batch: a gang that runs with too few members is degraded (S4)", () => {
  const facts = group(gang({ minMember: 5, running: 2, pending: 1, failed: 2 }));
  const { outcome } = step(
    emptyState,
    { stage: "prefilter", group: facts, settings: kubeBatch },
    now,
  );
  assertEquals([outcome.verdict, outcome.reason], ["allow", "Degraded"]);
  assertStringIncludes(
    outcome.message,
    "runs with 2 of 5 members: 1 more waits for a node, the others",
  );
});

Deno.test("profile kube-batch: succeeded members count once fewer than minMember could come (S4)", () => {
  const settings = kubeBatch;
  const enough = permit(emptyState, group(gang({ minMember: 3, held: 1, succeeded: 2 })), {
    settings,
  });
  assertEquals(enough.outcome.verdict, "allow");
  const others = permit(
    emptyState,
    group(gang({ minMember: 3, held: 1, pending: 2, succeeded: 2 })),
    { settings },
  );
  assertEquals(others.outcome.verdict, "wait");
});
