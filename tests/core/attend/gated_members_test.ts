import { assertEquals, assertLessOrEqual } from "@std/assert";
import type { Attended } from "../../../shared/core/attend/attended.ts";
import type { Why } from "../../../shared/core/attend/standing.ts";
import { tellGated } from "../../../shared/core/attend/gated_members.ts";
import { attended, gang, snapshotOf, start } from "../../support/attending.ts";

const minuteMs = 60_000;
const members = 1000;

/** A gang behind the gate that is refused for one reason after another, and the events that are written about it. */
class GatedGang {
  /** By uid. */
  readonly events = new Map<string, string[]>();
  readonly #uids = Array.from({ length: members }, (_, index) => `tf-${index}`);
  #group: Attended = attended();
  #now = start;

  add(uid: string): void {
    this.#uids.push(uid);
  }

  /** It is refused so from now on. */
  refuse(reason: Why["reason"], message: string = reason): void {
    this.#group = {
      ...this.#group,
      standing: { phase: "refused", why: { reason, message }, since: start },
    };
  }

  /** Time goes by, and what is due is written. */
  pass(ms: number): void {
    const gated = this.#uids.map((uid) => ({ uid, kind: "worker", gang }));
    const snapshot = snapshotOf({ minMember: members, pending: members, gated });
    for (const end = this.#now + ms; this.#now < end;) {
      this.#now += 1000;
      const { attended, effects } = tellGated(this.#group, snapshot, this.#now);
      this.#group = attended;
      for (const effect of effects) {
        if (effect.do !== "tell") continue;
        for (const uid of effect.uids) {
          this.events.set(uid, [...this.events.get(uid) ?? [], effect.reason]);
        }
      }
    }
  }

  get count(): number {
    return [...this.events.values()].flat().length;
  }
}

Deno.test("gate: each member of a gang has an event for each reason that lasts, however its sentence changes", () => {
  const gang = new GatedGang();
  gang.refuse("MembersMissing", "3 of 5");
  gang.pass(5000);
  assertEquals(gang.count, 0, "a gang that is soon let in needs no sentence");
  for (let found = 0; found < 100; found++) {
    gang.refuse("InsufficientResources", `finds it for ${found}`);
    gang.pass(minuteMs);
  }
  assertEquals(gang.count, members);
  gang.add("late");
  gang.pass(minuteMs);
  gang.refuse("BehindInQueue");
  gang.pass(minuteMs);
  const both = ["InsufficientResources", "BehindInQueue"];
  assertEquals([gang.events.get("tf-0"), gang.events.get("late")], [both, both]);
  assertEquals(gang.count, 2 * (members + 1));
});

Deno.test("gate: reasons that take turns for an hour cost a member 19 events at most, and each that lasts is told", () => {
  const gang = new GatedGang();
  for (let turn = 0; turn < 450; turn++) {
    gang.refuse(turn % 2 === 0 ? "InsufficientResources" : "BehindInQueue");
    gang.pass(8000);
  }
  assertLessOrEqual(gang.count, 19 * members);
  gang.refuse("MembersMissing");
  gang.pass(5 * minuteMs);
  assertEquals(gang.events.get("tf-0")?.at(-1), "MembersMissing");
});

Deno.test("gate: what is wrong with a declaration is said in its own words", () => {
  const gang = new GatedGang();
  gang.refuse("InvalidGang");
  gang.pass(minuteMs);
  assertEquals(gang.count, 0);
});
