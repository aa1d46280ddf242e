import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { advance } from "../../../shared/core/attend/advance.ts";
import {
  followPromise,
  nextPromiseAt,
  type Promised,
} from "../../../shared/core/attend/promise.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { attended, gang } from "../../support/attending.ts";
import { runs } from "../../property/runs.ts";

const now = Date.parse("2026-11-22T12:00:30Z");
const minute = 60_000;
const fit = { members: 0, of: 2 };

/** The plan of a group that waits, and that is to start in so many minutes; undefined: nobody knows when. */
function planIn(minutes: number | undefined, more: object = {}): Plan {
  const reservation = minutes === undefined
    ? undefined
    : { startsAt: now + minutes * minute, uses: [], ...more };
  return { fit, isShort: true, ...(reservation && { reservation }) };
}

function first(minutes: number, more: object = {}): Promised {
  return followPromise(undefined, { plan: planIn(minutes, more), now }).promised!;
}

/** A millisecond, in minutes. */
const moment = 1 / 60_000;

const rounded: [minutes: number, told: string][] = [
  [4, "12:05"],
  [9.4, "12:10"],
  [11, "12:15"],
  [100, "13:45"],
  [150, "14:45"],
  [14 * 60, "03:00"],
  [10, "12:11"],
  [120, "14:05"],
  [720, "00:15"],
  // A moment later the steps are wider.
  [10 + moment, "12:15"],
  [120 + moment, "14:15"],
  [720 + moment, "01:00"],
];

for (const [minutes, told] of rounded) {
  Deno.test(`promise: a start in ${minutes} minutes is told as ${told}, not before it`, () => {
    const { startsAt } = first(minutes).said!;
    assertEquals(startsAt.slice(11, 16), told);
    assert(Date.parse(startsAt) >= now + minutes * minute);
  });
}

const later = times.promiseAgain;
const centuries = 100 * 525_960;

for (const many of [81, 5_000]) {
  Deno.test(`promise: a start in ${many} centuries, behind many that say they run for long, is not told`, () => {
    const plan = planIn(many * centuries);
    assertEquals(followPromise(undefined, { plan, now }).promised, undefined);
    const { promised, brokenBy } = followPromise(first(30), { plan, now });
    assertEquals([promised?.said, brokenBy], [undefined, "unknown"]);
    assertEquals(nextPromiseAt([{ attended: { promise: first(30), plan } }], now), now + later);
  });
}

const changes: [
  about: string,
  plan: Plan,
  afterMs: number,
  expect: { told: string | undefined; brokenBy?: string },
][] = [
  ["what moves a little is not told anew", planIn(31), later, { told: "12:35" }],
  ["nor is what moves by one step", planIn(36), later, { told: "12:35" }],
  ["what should have started is", planIn(35.5), 34.5 * minute, {
    told: "12:36",
    brokenBy: "replanned",
  }],
  ["that it waits for another gang breaks nothing", planIn(30, { after: "default/c" }), later, {
    told: "12:35",
  }],
  ["nor what moves far, so soon", planIn(90), later - 1, { told: "12:35" }],
  ["what moves far is, later", planIn(90), later, { told: "13:35", brokenBy: "replanned" }],
  ["what comes sooner breaks nothing", planIn(10), later, { told: "12:11" }],
  [
    "of what overruns it is said",
    planIn(60, { after: "default/long", isOverdue: true }),
    later,
    { told: "13:05", brokenBy: "overrun" },
  ],
  ["what nobody knows any more is taken back", planIn(undefined), later, {
    told: undefined,
    brokenBy: "unknown",
  }],
  [
    "so is what another gang takes over",
    { ...planIn(undefined), ahead: { gang: "default/high", since: "2026-11-22T12:00:00Z" } },
    later,
    { told: undefined, brokenBy: "overtaken" },
  ],
  ["a group that fits is told nothing more", { fit, isShort: false, taken: [] }, later, {
    told: "12:35",
  }],
];

for (const [about, plan, afterMs, expect] of changes) {
  Deno.test(`promise: ${about}`, () => {
    const before = first(30, { after: "default/long" });
    const same = plan.reservation && { after: "default/long", ...plan.reservation };
    const fresh = { ...plan, ...(same && { reservation: same }) };
    const { promised, brokenBy } = followPromise(before, { plan: fresh, now: now + afterMs });
    assertEquals(
      { told: promised?.said?.startsAt.slice(11, 16), ...(brokenBy && { brokenBy }) },
      expect,
    );
    assertEquals(promised?.first, before.first);
  });
}

Deno.test("promise: a start is counted against what was promised first, and once", () => {
  const waiting = advance(attended(), { is: "planned", plan: planIn(30), waits: () => true }, now);
  assertEquals(waiting.effects, [{ do: "look" }]);
  const bound = { is: "bound", gang, isWhole: true } as const;
  const started = advance(waiting.attended, bound, now + 40 * minute);
  assertEquals(started.effects, [{ do: "count start", lateMs: 10 * minute }, { do: "look" }]);
  assertEquals(advance(started.attended, bound, now + 41 * minute).effects, [{ do: "look" }]);
});

Deno.test("promise: plans are made again when a start is due, and when it may be told anew", () => {
  const promise = first(30);
  const due = (plan: Plan, at: number) => nextPromiseAt([{ attended: { promise, plan } }], at);
  assertEquals(due(planIn(30), now), now + 30 * minute);
  assertEquals(due(planIn(90), now), now + later);
  assertEquals(due(planIn(90), now + later), now + 90 * minute);
  assertEquals(due(planIn(undefined), now), now + later, "what is not known any more");
  assertEquals(due(planIn(undefined), now + later), Infinity);
  const unsaid = { promise: undefined, plan: planIn(30) };
  assertEquals(nextPromiseAt([{ attended: unsaid }], now), now + 30 * minute);
});

/** What a plan may say at a time: minutes from then, or nothing, and after whom. */
const moments = fc.array(
  fc.record({
    passedMs: fc.integer({ min: 1, max: 10 * minute }),
    minutes: fc.option(fc.integer({ min: 0, max: 3000 }), { nil: undefined }),
    after: fc.constantFrom("default/a", "default/b", undefined),
    isShort: fc.boolean(),
  }),
  { maxLength: 60 },
);

Deno.test("property: whatever plans say, a start is told once in five minutes at most", () => {
  fc.assert(
    fc.property(moments, (all) => {
      let promise: Promised | undefined;
      let at = now;
      let toldAt = -Infinity;
      for (const { passedMs, minutes, after, isShort } of all) {
        at += passedMs;
        const reservation = minutes === undefined
          ? undefined
          : { startsAt: at + minutes * minute, uses: [], after };
        const plan = { fit, isShort, ...(reservation && { reservation }) };
        const { promised } = followPromise(promise, { plan, now: at });
        // It is withdrawn at once, which happens no more often than it is told.
        if (promised?.said && promised.said !== promise?.said) {
          assert(at - toldAt >= times.promiseAgain, `${at - toldAt} ms`);
          toldAt = at;
        }
        promise = promised;
      }
    }),
    runs(300),
  );
});

Deno.test("promise: what was taken back is told again when it is known again, and not too soon", () => {
  const unknown = { ...first(30), said: undefined };
  const toldAfter = (ms: number) =>
    followPromise(unknown, { plan: planIn(30), now: now + ms }).promised?.said !== undefined;
  assertEquals([0, later - 1, later].map(toldAfter), [false, false, true]);
});

Deno.test("promise: a start after a gang group is told after its first gang, and where that is", () => {
  assertEquals(first(30, { after: "default/a,default/b", domain: "rack-1" }).said, {
    startsAt: "2026-11-22T12:35:00.000Z",
    after: "default/a",
    domain: "rack-1",
  });
  assertEquals(Object.keys(first(30).said!), ["startsAt"]);
});

Deno.test("promise: a start that RFC 3339 has no year for is not told", () => {
  const lastStart = Date.UTC(9999, 0);
  const told = (startsAt: number) => {
    const plan = { ...planIn(0), reservation: { startsAt, uses: [] } };
    return followPromise(undefined, { plan, now }).promised?.said !== undefined;
  };
  assertEquals([lastStart - 1, lastStart].map(told), [true, false]);
});
