import { assertEquals, assertLessOrEqual } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { GangGroup } from "../../relay/gang_group.ts";
import { GateConditions } from "../../relay/gate_conditions.ts";
import { recordOf } from "../../relay/pod_record.ts";
import { ownGate } from "../../shared/kubernetes/census.ts";
import { silentMetrics } from "../support/silent_metrics.ts";
import { podOf } from "../support/objects.ts";

const minuteMs = 60_000;
const members = 1000;

/** A gang behind the gate that is refused for one reason after another, and how many events are written about it. */
class GatedGang {
  readonly group: GangGroup;
  readonly #conditions: GateConditions;
  /** By pod. */
  readonly events = new Map<string, string[]>();

  constructor() {
    const gated = new Map<string, unknown>();
    this.group = { gangs: [{ gated }], rejectedSince: Date.now() } as unknown as GangGroup;
    for (let index = 0; index < members; index++) this.add(`tf-${index}`);
    this.#conditions = new GateConditions({
      metrics: silentMetrics(),
      setCondition: () => Promise.resolve(),
      say: ({ metadata }, { reason }) => {
        this.events.set(metadata.name, [...this.events.get(metadata.name) ?? [], reason]);
      },
    });
  }

  add(name: string): void {
    const pod = podOf({ name, schedulingGates: [{ name: ownGate }] });
    this.group.gangs[0]!.gated.set(name, recordOf(pod, undefined));
  }

  /** It is refused so from now on. */
  refuse(reason: string, message = reason): void {
    this.group.admission = { verdict: "reject", reason: reason as "Parked", message };
  }

  /** Time goes by, and what is due is written. */
  pass(time: FakeTime, ms: number): void {
    for (const end = Date.now() + ms; Date.now() < end;) {
      time.tick(1000);
      this.#conditions.tell(this.group);
    }
  }

  get count(): number {
    return [...this.events.values()].flat().length;
  }
}

Deno.test("gate: each member of a gang has an event for each reason that lasts, however its sentence changes", () => {
  using time = new FakeTime();
  const gang = new GatedGang();
  gang.refuse("MembersMissing", "3 of 5");
  gang.pass(time, 5000);
  assertEquals(gang.count, 0, "a gang that is soon let in needs no sentence");
  for (let found = 0; found < 100; found++) {
    gang.refuse("InsufficientResources", `finds it for ${found}`);
    gang.pass(time, minuteMs);
  }
  assertEquals(gang.count, members);
  gang.add("late");
  gang.pass(time, minuteMs);
  gang.refuse("BehindInQueue");
  gang.pass(time, minuteMs);
  const both = ["InsufficientResources", "BehindInQueue"];
  assertEquals([gang.events.get("tf-0"), gang.events.get("late")], [both, both]);
  assertEquals(gang.count, 2 * (members + 1));
});

Deno.test("gate: reasons that take turns for an hour cost a member 19 events at most, and each that lasts is told", () => {
  using time = new FakeTime();
  const gang = new GatedGang();
  for (let turn = 0; turn < 450; turn++) {
    gang.refuse(turn % 2 === 0 ? "InsufficientResources" : "BehindInQueue");
    gang.pass(time, 8000);
  }
  assertLessOrEqual(gang.count, 19 * members);
  gang.refuse("MembersMissing");
  gang.pass(time, 5 * minuteMs);
  assertEquals(gang.events.get("tf-0")?.at(-1), "MembersMissing");
});

Deno.test("gate: what is wrong with a declaration is said in its own words", () => {
  using time = new FakeTime();
  const gang = new GatedGang();
  gang.refuse("InvalidGang");
  gang.pass(time, minuteMs);
  assertEquals(gang.count, 0);
});
