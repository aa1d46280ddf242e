/**
 * What plans are made of, as a recording has it: what has not been said before.
 *
 * @module
 */
import { labelOf } from "../gang/label.ts";
import type { Claim } from "../plan/demand.ts";
import type { Plan } from "../plan/plan.ts";
import type { Running, RunningPod } from "../plan/running.ts";
import type { Ending, Waiting, World } from "../plan/world.ts";
import type { Resources, Room } from "../room/fit.ts";
import { amountsText, AmountsWriter } from "./amounts_writer.ts";
import { DeltaWriter } from "./delta_text.ts";
import { isMadeOn } from "../plan/made_on.ts";
import { GangWriter } from "./gang_writer.ts";
import type { HeardWorld } from "./heard_world.ts";
import { plain } from "./known_text.ts";
import { keysIn } from "./label_keys.ts";
import type {
  AmountsText,
  ClaimText,
  EndingText,
  RunningText,
  WaitingText,
  WorldText,
} from "./plan_text.ts";

type RunningPodText = Omit<RunningPod, "requests" | "uid"> & { readonly requests: number };

/** Writes one world after another. */
export class WorldWriter {
  #isNew = true;
  readonly #amounts = new AmountsWriter();
  readonly #gangs = new GangWriter(this.#amounts);
  #made: Pick<World, "nodes" | "settings"> | undefined;
  #capacity: Room | undefined;
  readonly #said = new Map<string, string>();
  readonly #saidOf = new Map<string, Map<string, string>>();
  readonly #free = new DeltaWriter<Resources, AmountsText>((a, b) => a === b, amountsText);
  readonly #capacities = new DeltaWriter<string, AmountsText>(
    (a, b) => a === b,
    (text) => JSON.parse(text),
  );
  readonly #claims = new DeltaWriter<string, ClaimText>(
    (a, b) => a === b,
    (text) => JSON.parse(text),
  );
  readonly #running = new Map<number, DeltaWriter<RunningPod, RunningPodText>>();
  readonly #ending = new DeltaWriter<Ending, EndingText>(
    isSameEnding,
    ({ endsAt, isLeaving, uses }) => ({
      endsAt,
      ...(isLeaving && { isLeaving }),
      uses: uses.map(({ node, requests, count }) => ({
        node,
        requests: this.#amounts.numberOf(requests),
        count,
      })),
    }),
  );
  readonly #labelKeys = new Set<string>();
  #plans: ReadonlyMap<string, Plan> = new Map();

  /** What it made of the world, afterwards. */
  planned(byGroup: ReadonlyMap<string, Plan>): void {
    this.#plans = byGroup;
    for (const id of this.#saidOf.keys()) if (!byGroup.has(id)) this.#saidOf.delete(id);
  }

  write(heard: HeardWorld): WorldText {
    const { world } = heard;
    const isNew = this.#isNew;
    const isElsewhere = this.#made?.nodes !== world.nodes;
    if (isElsewhere) this.#gangs.onNodes([...world.free.keys()]);
    this.#isNew = false;
    this.#made = { nodes: world.nodes, settings: world.settings };
    const waiting = world.waiting.flatMap((group) => this.#waitingText(group, heard) ?? []);
    const order = world.waiting.map(({ id }) => id);
    const { levels, settings, backfillMs, reservations = 0, evictions } = world;
    const fixed = {
      levels,
      settings,
      ...(backfillMs < Infinity && { backfillMs }),
      ...(reservations > 0 && { reservations: reservations < Infinity ? reservations : "all" }),
      evicts: evictions !== undefined,
    };
    const nominated = world.nominated.map(claimText);
    const leaving = heard.leaving?.map(({ requests, ...rest }) => ({
      ...rest,
      requests: this.#amounts.numberOf(requests),
    }));
    const labels = this.#labels(heard, isElsewhere);
    const free = this.#free.write(world.free);
    const capacity = heard.capacity && this.#capacityText(heard.capacity);
    const running = [...heard.running].map((each) => this.#runningText(each));
    const groups = heard.ending &&
      this.#ending.write(heard.ending.map((ending) => [ending.id, ending]));
    const amounts = this.#amounts.takeNew();
    const kinds = this.#gangs.takeNewKinds();
    return {
      ...(isNew && { isNew }),
      ...(isElsewhere && { isElsewhere }),
      ...(free && { free }),
      ...(capacity && { capacity }),
      ...(labels.length > 0 && { labels }),
      ...this.#changed("fixed", fixed),
      ...this.#changed("nominated", nominated),
      ...(heard.below && { below: this.#belowText(heard.below) }),
      ...(running.length > 0 && { running }),
      ...(leaving && { leaving }),
      ...(heard.ending && { ending: { ...(groups && { groups }) } }),
      ...this.#changed("order", order),
      ...(waiting.length > 0 && { waiting }),
      ...(amounts.length > 0 && { amounts }),
      ...(kinds.length > 0 && { kinds }),
    };
  }

  /** The field if it is otherwise than it was said. */
  #changed(name: keyof WorldText, value: unknown): Partial<WorldText> {
    return changedIn(this.#said, { [name]: value });
  }

  #capacityText(capacity: Room): WorldText["capacity"] {
    if (capacity === this.#capacity) return undefined;
    this.#capacity = capacity;
    const texts = [...capacity].map(([node, amounts]) =>
      [node, JSON.stringify(amountsText(amounts))] as const
    );
    return this.#capacities.write(texts) ?? {};
  }

  #belowText({ limit, claims }: NonNullable<HeardWorld["below"]>): NonNullable<WorldText["below"]> {
    const sums = new Map<string, { claim: Claim; amounts: Map<string, number> }>();
    for (const claim of claims) {
      const key = `${claim.priority} ${claim.node}`;
      const sum = sums.get(key) ?? { claim, amounts: new Map<string, number>() };
      sums.set(key, sum);
      for (const [resource, amount] of claim.requests) {
        sum.amounts.set(resource, (sum.amounts.get(resource) ?? 0) + amount);
      }
    }
    const texts = [...sums].map(([key, { claim, amounts }]) =>
      [key, JSON.stringify(claimText({ ...claim, requests: amounts }))] as const
    );
    const text = this.#claims.write(texts);
    return { limit: limit === Infinity ? null : limit, ...(text && { claims: text }) };
  }

  #runningText([priority, { pods, gangs, trees, budgets }]: [number, Running]): RunningText {
    const writer = this.#running.get(priority) ??
      new DeltaWriter<RunningPod, RunningPodText>(isSamePod, ({ uid: _, ...pod }) => ({
        ...pod,
        requests: this.#amounts.numberOf(pod.requests),
      }));
    this.#running.set(priority, writer);
    const text = writer.write(pods.map((pod) => [pod.uid, pod]));
    return {
      priority,
      ...(text && { pods: text }),
      gangs: [...gangs],
      ...(trees && { trees }),
      budgets: [...budgets],
    };
  }

  /** All values of keys that have not been said, or of all where nodes have changed. */
  #labels({ world, gangs }: HeardWorld, isElsewhere: boolean): NonNullable<WorldText["labels"]> {
    const before = new Set(isElsewhere ? [] : this.#labelKeys);
    for (const key of world.levels) this.#labelKeys.add(key);
    const composites = world.waiting.flatMap(({ composite }) => composite ?? []);
    for (const key of keysIn(gangs.values(), composites)) this.#labelKeys.add(key);
    return [...this.#labelKeys].filter((key) => !before.has(key)).map((key) => {
      const values = [...world.free.keys()].flatMap((node) => {
        const value = labelOf(world.labelsOf(node), key);
        return value === undefined ? [] : [[node, value]];
      });
      return [key, values] as const;
    });
  }

  #waitingText(group: Waiting, heard: HeardWorld): WaitingText | undefined {
    const { id, priority, isNeverWhole, shortSince, keepsUntil, composite, refused } = group;
    const { isKeptByPolicy, isPausing, isCleared, runTime } = group;
    const gangs = heard.gangs.get(id)?.map((gang) => this.#gangs.write(gang));
    const nominated = [...heard.nominated.get(id) ?? []].map(([uid, node]) =>
      [uid, node ?? null] as const
    );
    const last = this.#plans.get(id);
    const said = this.#saidOf.get(id) ?? new Map<string, string>();
    this.#saidOf.set(id, said);
    const text: Omit<WaitingText, "id"> = changedIn(said, {
      plan: this.#planText(group, last),
      reserved: this.#reservedText(group, last),
      before: this.#beforeText(group, last),
      composite: composite ?? null,
      refused: [...refused ?? []].map(([kind, { more, each }]) => {
        const nodes = [...more].map(([node, more]) => more > 0 ? [node, more] as const : node);
        return [kind, nodes, ...(each === undefined ? [] : [each] as const)] as const;
      }),
      nominated,
      priority,
      isNeverWhole,
      ...(isKeptByPolicy !== undefined && { isKeptByPolicy }),
      ...(isPausing !== undefined && { isPausing }),
      ...(isCleared !== undefined && { isCleared }),
      shortSince: shortSince ?? null,
      runTime: runTime ?? null,
      keepsUntil,
      ...(gangs && { gangs }),
    });
    return Object.keys(text).length > 0 ? { id, ...text } : undefined;
  }

  #planText({ plan }: Waiting, last: Plan | undefined): NonNullable<WaitingText["plan"]> {
    if (!plan) return "none";
    if (plan === last) return "last";
    const { taken, surplus, ...rest } = plan;
    return {
      plan: plain(rest),
      ...(taken && { taken: this.#amounts.usesText(taken) }),
      ...(surplus && { surplus: this.#amounts.usesText(surplus) }),
      ...(plan.reservation && { reserved: this.#amounts.usesText(plan.reservation.uses) }),
      isHere: isMadeOn(plan, this.#made!),
    };
  }

  #reservedText(
    { reserved }: Waiting,
    last: Plan | undefined,
  ): NonNullable<WaitingText["reserved"]> {
    if (!reserved) return "none";
    if (reserved === last?.reservation) return "last";
    const { uses, ...estimate } = reserved;
    return { estimate, uses: this.#amounts.usesText(uses) };
  }

  #beforeText({ before }: Waiting, last: Plan | undefined): NonNullable<WaitingText["before"]> {
    if (!before) return "none";
    const own = last?.taken ? [...last.taken, ...last.surplus ?? []] : [];
    const isOwn = before.length === own.length && before.every((use, at) => use === own[at]);
    return isOwn && last ? "last" : this.#amounts.usesText(before);
  }
}

/** The fields that are otherwise than they were said. */
function changedIn(said: Map<string, string>, fields: object): object {
  const changed = Object.entries(fields).filter(([name, value]) => {
    const text = JSON.stringify(value);
    const isSame = said.get(name) === text;
    said.set(name, text);
    return !isSame;
  });
  return Object.fromEntries(changed);
}

function claimText({ node, priority, requests }: Claim): ClaimText {
  return [node, priority, amountsText(requests)];
}

function isSameEnding(a: Ending, b: Ending): boolean {
  return a.endsAt === b.endsAt && a.isLeaving === b.isLeaving && a.uses.length === b.uses.length &&
    a.uses.every(({ node, requests, count }, at) => {
      const other = b.uses[at]!;
      return node === other.node && requests === other.requests && count === other.count;
    });
}

function isSamePod(a: RunningPod, b: RunningPod): boolean {
  return a.node === b.node && a.priority === b.priority && a.requests === b.requests &&
    a.startedAt === b.startedAt && a.gang === b.gang && a.role === b.role &&
    a.isHeld === b.isHeld && a.budgets.join() === b.budgets.join();
}
