/**
 * The rules of the contract that can be seen from outside.
 *
 * @module
 */
import { keyProblem } from "../../shared/core/attend/own_stage.ts";
import type { StageName } from "../../shared/core/attend/stage_health.ts";
import type { AnswerOf } from "../../cli/policy/stage_call.ts";
import { ask, post, type Target } from "./client.ts";
import { type Body, hostileBodies, sampleOf } from "./samples.ts";

/** A rule, of one stage or of several. */
export interface Rule {
  readonly name: string;
  readonly stages?: readonly StageName[];
  /** What breaks it; undefined: it holds. */
  check(target: Target, stage: StageName): Promise<string | undefined>;
}

const samples = 24;
const orders = ["queue-sort"] as const;
const words = ["admit"] as const;
const decisions = ["permit", "postfilter", "unreserve"] as const;

/** In the order in which they are checked. */
export const rules: readonly Rule[] = [
  {
    name: "answers follow the contract",
    check: (target, stage) =>
      firstProblem(async (index) => {
        await ask(target, stage, sampleOf(stage, index));
        return undefined;
      }),
  },
  {
    name: "the same facts get the same answer",
    check: (target, stage) =>
      firstProblem(async (index) => {
        const body = sampleOf(stage, index);
        const [first, second] = [
          await ask(target, stage, body),
          await ask(target, stage, body),
        ];
        return difference(stage, first, second);
      }),
  },
  {
    name: "an answer follows from its own facts, whatever was asked before",
    check: (target, stage) =>
      firstProblem(async (index) => {
        const [one, other] = [sampleOf(stage, index), sampleOf(stage, index + 7)];
        if (other.at !== undefined) other.at = one.at;
        const first = await ask(target, stage, one);
        await ask(target, stage, other);
        return difference(stage, first, await ask(target, stage, one));
      }),
  },
  {
    name: "fields that are not known do no harm",
    check: async (target, stage) => {
      const body = { ...sampleOf(stage, 1), futureField: { a: [1] } };
      await ask(target, stage, body);
      return undefined;
    },
  },
  {
    name: "each unit has a key, and a gang group has one",
    stages: orders,
    check: (target) =>
      firstProblem(async (index) => {
        const body = sampleOf("queue-sort", index);
        return keyProblem(body.units, (await ask(target, "queue-sort", body)).keys);
      }),
  },
  {
    name: "keys do not depend on the order of units",
    stages: orders,
    check: (target) =>
      firstProblem(async (index) => {
        const body = sampleOf("queue-sort", index);
        const { keys } = await ask(target, "queue-sort", body);
        const turned = { ...body, units: body.units.toReversed() };
        const again = await ask(target, "queue-sort", turned);
        return sameKeys(keys, again.keys);
      }),
  },
  {
    name: "an empty queue has no keys",
    stages: orders,
    check: async (target) => {
      const { keys } = await ask(target, "queue-sort", { units: [] });
      return keys.length === 0 ? undefined : `${keys.length} keys came back`;
    },
  },
  {
    name: "facts that a relay may leave out are not needed",
    stages: [...orders, ...words],
    check: async (target, stage) => {
      const { units, relay, gangs } = sampleOf(stage, 2);
      await ask(target, stage, units ? { units } : { relay, gangs });
      return undefined;
    },
  },
  {
    name: "the order of what runs does not matter",
    stages: [...orders, ...words],
    check: (target, stage) =>
      firstProblem(async (index) => {
        const body = sampleOf(stage, index);
        const turned = { ...body, running: body.running.toReversed() };
        return difference(stage, await ask(target, stage, body), await ask(target, stage, turned));
      }),
  },
  {
    name: "a wait says why",
    stages: words,
    check: (target) =>
      firstProblem(async (index) => {
        const { verdict, message } = await ask(target, "admit", sampleOf("admit", index));
        return verdict === "wait" && !message?.trim() ? "a wait has no message" : undefined;
      }),
  },
  {
    name: "each held member is named once",
    stages: decisions,
    check: (target, stage) =>
      firstProblem(async (index) => {
        const body = sampleOf(stage, index);
        return memberProblem(body, await ask(target, stage as "permit", body));
      }),
  },
  {
    name: "what is no JSON is refused with a 4xx",
    check: async (target, stage) => {
      for (const { name, text, isJson } of hostileBodies(stage)) {
        if (isJson) continue;
        const { status } = await post(target, { stage, text });
        if (status < 400 || status > 499) return `${name}: HTTP ${status}`;
      }
      return undefined;
    },
  },
  {
    name: "no input yields a 5xx",
    check: async (target, stage) => {
      for (const { name, text } of hostileBodies(stage)) {
        const { status } = await post(target, { stage, text });
        if (status >= 500) return `${name}: HTTP ${status}`;
      }
      for (const method of ["GET", "PUT", "DELETE"]) {
        const { status } = await post(target, { stage, text: "", method });
        if (status >= 500 || status === 200) return `${method}: HTTP ${status}`;
      }
      return undefined;
    },
  },
  {
    name: "it answers as before after all that",
    check: async (target, stage) => {
      await ask(target, stage, sampleOf(stage, 3));
      return undefined;
    },
  },
];

/** The time of each of so many calls, one after another, in ms. */
export async function latencies(target: Target, stage: StageName, calls: number) {
  const text = JSON.stringify(sampleOf(stage, 4));
  const took: number[] = [];
  for (let call = 0; call < calls; call++) took.push((await post(target, { stage, text })).tookMs);
  return took.sort((a, b) => a - b);
}

async function firstProblem(
  check: (index: number) => Promise<string | undefined>,
): Promise<string | undefined> {
  for (let index = 0; index < samples; index++) {
    const problem = await check(index);
    if (problem !== undefined) return `facts ${index}: ${problem}`;
  }
  return undefined;
}

/** When a deadline ends, and when to ask again, may move with the time; what is decided may not. */
function difference(stage: StageName, first: unknown, second: unknown): string | undefined {
  if (stage === "queue-sort") {
    const [one, other] = [first, second] as AnswerOf<"queue-sort">[];
    return sameKeys(one!.keys, other!.keys);
  }
  const [one, other] = [first, second].map((answer) => decided(answer as Body));
  return one === other ? undefined : `first ${one}, then ${other}`;
}

function decided({ verdict, allow, wait, reject, reason }: Body): string {
  const sorted = [allow, wait, reject].map((uids: string[] | undefined) => uids?.toSorted());
  return JSON.stringify([verdict, reason, ...sorted]);
}

type Keys = AnswerOf<"queue-sort">["keys"];

function sameKeys(first: Keys, second: Keys): string | undefined {
  const keys = new Map(second.map(({ id, key }) => [id, key]));
  const other = first.find(({ id, key }) => keys.get(id) !== key);
  return other && `unit "${other.id}" has first "${other.key}", then "${keys.get(other.id)}"`;
}

function memberProblem(body: Body, { allow, wait, reject }: AnswerOf<"permit">) {
  const held: string[] = body.gangs[0].held.map(({ uid }: { uid: string }) => uid);
  const named = [...allow, ...wait, ...reject];
  const missing = held.find((uid) => named.filter((each) => each === uid).length !== 1);
  if (missing !== undefined) return `held member "${missing}" is not named once`;
  const stranger = named.find((uid) => !held.includes(uid));
  return stranger && `"${stranger}" is named and not held`;
}
