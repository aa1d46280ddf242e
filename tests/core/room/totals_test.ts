import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type Needed, type TimedAmounts, Totals } from "../../../shared/core/room/totals.ts";
import { resources } from "../../support/rooms.ts";

const gpus = (gpu: number) => resources({ gpu });
const kept = (gpu: number, from: number, to = Infinity): TimedAmounts => ({
  from,
  to,
  amounts: gpus(gpu),
});
const seeks = (gpu: number, about: Partial<Needed> = {}): Needed => ({
  amounts: gpus(gpu),
  length: 10,
  after: 0,
  ...about,
});

/** Free are 2 and 1 GPUs; what happens, what is looked for, and when there may be as much, with how much to spare. */
const cases: [
  id: string,
  happen: (totals: Totals) => void,
  needed: Needed,
  expect: { at: number; spare: number } | undefined,
][] = [
  ["nothing comes", () => {}, seeks(1), undefined],
  ["room comes", (totals) => totals.comes(5, gpus(1)), seeks(4), { at: 5, spare: 0 }],
  ["too little comes", (totals) => totals.comes(5, gpus(1)), seeks(5), undefined],
  [
    "it comes in two parts",
    (totals) => {
      totals.comes(7, gpus(1));
      totals.comes(5, gpus(1));
    },
    seeks(5),
    { at: 7, spare: 0 },
  ],
  [
    "what came before counts, and is not waited for",
    (totals) => {
      totals.comes(3, gpus(1));
      totals.comes(5, gpus(1));
    },
    seeks(1, { after: 3 }),
    { at: 5, spare: 4 },
  ],
  [
    "it was taken",
    (totals) => {
      totals.next(seeks(1));
      totals.take(gpus(2), {});
      totals.comes(5, gpus(1));
    },
    seeks(2),
    { at: 5, spare: 0 },
  ],
  [
    "what is taken before anybody asks is not among what is free",
    (totals) => {
      totals.take(gpus(2), {});
      totals.comes(5, gpus(1));
    },
    seeks(4),
    { at: 5, spare: 0 },
  ],
  [
    "it is kept when it comes, for a while",
    (totals) => {
      totals.comes(5, gpus(1));
      totals.keep(kept(2, 5, 8), {});
    },
    seeks(3),
    { at: 8, spare: 1 },
  ],
  [
    "it is kept for ever",
    (totals) => {
      totals.comes(5, gpus(1));
      totals.keep(kept(2, 5), {});
    },
    seeks(3),
    undefined,
  ],
  [
    "it is kept too soon after it came",
    (totals) => {
      totals.comes(5, gpus(1));
      totals.keep(kept(2, 14), {});
    },
    seeks(3),
    undefined,
  ],
  [
    "it is kept when it is not needed any more",
    (totals) => {
      totals.comes(5, gpus(1));
      totals.keep(kept(2, 15), {});
    },
    seeks(3),
    { at: 5, spare: 1 },
  ],
  [
    "what is kept within that time makes less to spare",
    (totals) => {
      totals.comes(5, gpus(3));
      totals.keep(kept(2, 7, 9), {});
    },
    seeks(3),
    { at: 5, spare: 1 },
  ],
  [
    "what is kept before that time does not",
    (totals) => {
      totals.keep(kept(3, 1, 4), {});
      totals.comes(5, gpus(3));
    },
    seeks(3, { after: 4 }),
    { at: 5, spare: 3 },
  ],
  [
    "what is kept is not kept any more",
    (totals) => {
      const reserved = kept(2, 5, 8);
      totals.comes(5, gpus(1));
      totals.keep(reserved, {});
      totals.cancel(reserved);
    },
    seeks(3),
    { at: 5, spare: 1 },
  ],
  [
    "the end of what is not kept any more is no time to start",
    (totals) => {
      const reserved = kept(1, 5, 8);
      totals.keep(reserved, {});
      totals.cancel(reserved);
    },
    seeks(1),
    undefined,
  ],
  [
    "what is kept for whoever looks is not in its way",
    (totals) => {
      totals.comes(5, gpus(1));
      totals.keep(kept(4, 5, 20), {});
    },
    seeks(4, { own: kept(4, 5, 20) }),
    { at: 5, spare: 0 },
  ],
  [
    "what may not be there may be there",
    (totals) => {
      totals.comes(5, gpus(1));
      totals.keep(kept(4, 5), { isUnchecked: true });
    },
    seeks(4),
    { at: 5, spare: 0 },
  ],
  [
    "once it is trusted it is kept",
    (totals) => {
      totals.comes(5, gpus(1));
      totals.keep(kept(4, 5), { isUnchecked: true });
      totals.trust();
    },
    seeks(4),
    undefined,
  ],
  [
    "what is taken unseen may not be gone",
    (totals) => {
      totals.next(seeks(1));
      totals.take(gpus(3), { isUnchecked: true });
      totals.comes(5, gpus(1));
    },
    seeks(4),
    { at: 5, spare: 0 },
  ],
  [
    "places of which there is one on each node do not add up",
    (totals) => {
      totals.comes(5, gpus(1));
    },
    seeks(4, { amounts: resources({ gpu: 4, "without port": 1 }) }),
    { at: 5, spare: 0 },
  ],
  [
    "of a resource that is nowhere there is none",
    (totals) => {
      totals.comes(5, gpus(1));
    },
    seeks(1, { amounts: resources({ gpu: 1, tpu: 1 }) }),
    undefined,
  ],
];

const newTotals = () => new Totals({ rooms: [gpus(2), undefined, gpus(1), gpus(-4)] });

for (const [id, happen, needed, expect] of cases) {
  Deno.test(`totals: when there may be as much as is needed, where ${id}`, () => {
    const totals = newTotals();
    happen(totals);
    const chance = totals.next(needed);
    // Beside what rounding may hide.
    const spare = chance && Math.round(chance.spare * 1e6) / 1e6;
    assertEquals(chance && { at: chance.at, spare }, expect);
    assertEquals(totals.next(needed), chance, "asking changes nothing");
  });
}

const happenings = fc.array(
  fc.record({
    is: fc.constantFrom("comes" as const, "keeps" as const),
    at: fc.integer({ min: 1, max: 12 }),
    length: fc.integer({ min: 1, max: 6 }),
    gpu: fc.integer({ min: 1, max: 3 }),
    isCancelled: fc.boolean(),
  }),
  { maxLength: 8 },
);

Deno.test("totals: the first time at which room comes and from which on the sum is enough", () => {
  fc.assert(
    fc.property(
      happenings,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 8 }),
      fc.nat(6),
      (all, asks, length, after) => {
        const totals = newTotals();
        const lasting = all.filter(({ is, isCancelled }) => is === "comes" || !isCancelled);
        for (const { is, at, length, gpu, isCancelled } of all) {
          if (is === "comes") totals.comes(at, gpus(gpu));
          else {
            const reserved = kept(gpu, at, at + length);
            totals.keep(reserved, {});
            if (isCancelled) totals.cancel(reserved);
          }
        }
        const sumAt = (time: number) =>
          lasting.reduce((sum, { is, at, length, gpu }) => {
            if (is === "comes") return at <= time ? sum + gpu : sum;
            return at <= time && time < at + length ? sum - gpu : sum;
          }, 3);
        const comings = lasting.map(({ is, at, length }) => is === "comes" ? at : at + length);
        const isEnough = (from: number) =>
          Array.from({ length }, (_, index) => sumAt(from + index)).every((sum) => sum >= asks);
        const expected = comings.sort((a, b) => a - b)
          .find((at) => at > after && isEnough(at));
        assertEquals(totals.next(seeks(asks, { length, after }))?.at, expected);
      },
    ),
  );
});
