/**
 * What happens in a queue in a few words, and what has come of it in one line.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { Use } from "../../shared/core/room/fit.ts";
import { gangOf } from "./plan_rows.ts";
import { Slots } from "./slots.ts";

/** A cluster, a rule of who may pass whom, and what happens. */
export interface QueueRow {
  /** `a 2 b1/r1, b 1 b1/r2`: GPUs, block and rack. */
  readonly nodes: string;
  readonly rule: string;
  /** Gangs change all the time, so that each is planned anew. */
  readonly anew?: boolean;
  /**
   * `g0: 2x1, for 60; g1: 1x2`: gangs come, as rows of plans write them, and how long they run; `pass 60`; `pass 60 over g0`:
   * that one runs on; `cancel g0`; `leave g0 1`: it is asked to end, and one of its members is gone; `p5 g0`: its priority.
   */
  readonly steps: readonly string[];
}

/** `g0 runs on a 2; g1 at 60 on b 1 after g0 in b1/r1; g2 waits behind g1`; in seconds since the beginning. */
export function outcomeOf({ nodes, rule, anew = false, steps }: QueueRow): string {
  const slots = new Slots(
    Object.fromEntries(
      nodes.split(", ").map((text) => {
        const [name, gpus, labels = ""] = text.split(" ") as [string, string, string?];
        return [name, `${gpus} ${labels}`];
      }),
    ),
    rule,
  );
  slots.isForgetful = anew;
  for (const step of steps) happen(step, slots);
  return [
    ...Object.entries(slots.places).map(([name, uses]) => `${name} runs on ${usesText(uses)}`),
    ...slots.waiting.map((name) => waitingText(name, slots)),
  ].join("; ");
}

/** A test of each row, which is its name. */
export function checkQueues(rows: readonly (readonly [QueueRow, string])[]): void {
  for (const [row, outcome] of rows) {
    const { nodes, rule, anew = false, steps } = row;
    const name = `${steps.join(" | ")} on ${nodes}${anew ? ", planned anew" : ""}`;
    Deno.test(`queue by rule ${rule}: ${name}`, () => assertEquals(outcomeOf(row), outcome));
  }
}

function happen(step: string, slots: Slots): void {
  const [word, first, second, third] = step.split(" ");
  if (step.includes(": ")) slots.submit(...step.split("; ").map(jobOf));
  else if (word === "pass") slots.pass(Number(first), second === "over" ? [third!] : []);
  else if (word === "cancel") slots.cancel(first!);
  else if (word === "leave") slots.beginToLeave(first!, Number(second));
  else slots.setPriority(first!, Number(word!.slice(1)));
}

function jobOf(text: string) {
  const { group: { runTime, priority } = {}, ...gang } = gangOf(text);
  return { ...gang, slots: 0, seconds: runTime?.seconds, priority };
}

function waitingText(name: string, slots: Slots): string {
  const { reservation, ahead, isShort } = slots.planOf(name)!;
  if (!reservation) {
    return [
      name,
      "waits",
      !isShort && "for more than room",
      ahead && `behind ${ahead.gang.slice(8)}`,
    ]
      .filter(Boolean).join(" ");
  }
  const { uses, after, isOverdue, domain } = reservation;
  const at = slots.secondsAt(reservation.startsAt);
  return [
    `${name} at ${at} on ${usesText(uses)}`,
    after && `after ${after.slice(8)}`,
    isOverdue && "that is overdue",
    domain && `in ${domain}`,
  ].filter(Boolean).join(" ");
}

function usesText(uses: readonly Use[]): string {
  return uses.map(({ node, count, role }) => `${role ? `${role}@` : ""}${node} ${count}`).join(
    ", ",
  );
}
