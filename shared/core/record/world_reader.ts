/**
 * What plans are made of, from a recording: it answers what it answered when that was made.
 *
 * @module
 */
import type { PlannedGang } from "../plan/demand.ts";
import { withMadeOn } from "../plan/made_on.ts";
import type { Plan } from "../plan/plan.ts";
import type { Leaving, Running, RunningPod } from "../plan/running.ts";
import type { Ending, Waiting, World } from "../plan/world.ts";
import type { Candidate, OwnRoom, Resources, Use } from "../room/fit.ts";
import { readDelta } from "./delta_text.ts";
import { fromPlain } from "./known_text.ts";
import type {
  AmountsText,
  ClaimText,
  EndingText,
  KindText,
  PlannedGangText,
  RunningText,
  UseText,
  WaitingText,
  WorldText,
} from "./plan_text.ts";
import type { Unheard } from "./snapshot_reader.ts";

/** All that is said of a group. */
type Known = Required<Omit<WaitingText, "gangs">> & Pick<WaitingText, "gangs">;

/** A kind, read. */
type Kind = Omit<Candidate, "uid">;

/** Reads one world after another, as far as the recording goes on without a gap. */
export class WorldReader {
  #nodes: unknown;
  readonly #free: OwnRoom = new Map();
  #capacity: OwnRoom | undefined;
  readonly #labels = new Map<string, ReadonlyMap<string, string>>();
  #fixed: NonNullable<WorldText["fixed"]> | undefined;
  #nominated: World["nominated"] = [];
  readonly #below = new Map<string, ClaimText>();
  readonly #running = new Map<number, Map<string, RunningPod>>();
  readonly #ending = new Map<string, Omit<Ending, "id">>();
  readonly #amounts: Resources[] = [];
  readonly #kinds = new Map<number, Kind>();
  #order: readonly string[] = [];
  #groups = new Map<string, Known>();
  #plans: ReadonlyMap<string, Plan> = new Map();
  #others = new Map<string, Plan>();

  /** What was made of the world, afterwards. */
  planned(byGroup: ReadonlyMap<string, Plan>): void {
    this.#plans = byGroup;
  }

  read(text: WorldText, unheard: Unheard): World {
    this.#take(text);
    const { levels, settings, backfillMs = Infinity, reservations = 0, evicts } = this.#fixed!;
    const answered = <T>(answer: T | undefined, what: string, otherwise: T): T => {
      if (answer === undefined) unheard(what);
      return answer ?? otherwise;
    };
    const running = new Map(text.running?.map((each) => [each.priority, this.#runningOf(each)]));
    const leaving: Leaving[] | undefined = text.leaving?.map(({ requests, ...rest }) => ({
      ...rest,
      requests: this.#amounts[requests]!,
    }));
    const none = { pods: [], gangs: new Map(), budgets: new Map() };
    const limit = text.below ? text.below.limit ?? Infinity : undefined;
    return {
      free: this.#free,
      nodes: this.#nodes,
      capacity: () => {
        if (!this.#capacity) unheard("capacity");
        return this.#capacity ?? new Map();
      },
      labelsOf: (node) => {
        const values = [...this.#labels].map(([key, values]) => [key, values.get(node)]);
        return Object.fromEntries(values.filter(([, value]) => value !== undefined));
      },
      levels,
      settings,
      backfillMs,
      reservations: reservations === "all" ? Infinity : reservations,
      ending: () => {
        if (!text.ending) unheard("what ends");
        return [...this.#ending].map(([id, ending]) => ({ id, ...ending }));
      },
      nominated: this.#nominated,
      takenBelow: (priority) => {
        if (priority > (limit ?? -Infinity)) unheard(`what is taken below ${priority}`);
        return [...this.#below.values()].map((claim) => claimFrom(claim))
          .filter((claim) => claim.priority < priority);
      },
      ...(evicts && {
        evictions: {
          running: (priority) => answered(running.get(priority), `running below ${priority}`, none),
          leaving: () => answered(leaving, "who leaves", []),
        },
      }),
      waiting: this.#order.map((id) => this.#waitingOf(id, unheard)),
    };
  }

  #take(text: WorldText): void {
    for (const amounts of text.amounts ?? []) this.#amounts.push(amountsFrom(amounts));
    if (text.isElsewhere) {
      this.#nodes = {};
      this.#kinds.clear();
      this.#labels.clear();
    }
    for (const [key, values] of text.labels ?? []) {
      this.#labels.set(key, new Map(values as [string, string][]));
    }
    for (const kind of text.kinds ?? []) this.#kinds.set(kind.number, this.#kindFrom(kind));
    readDelta(this.#free, { text: text.free, read: amountsFrom });
    if (text.capacity) {
      this.#capacity = new Map(this.#capacity);
      readDelta(this.#capacity, { text: text.capacity, read: amountsFrom });
    }
    readDelta(this.#below, { text: text.below?.claims, read: (claim: ClaimText) => claim });
    readDelta(this.#ending, {
      text: text.ending?.groups,
      read: (ending: EndingText) => this.#endingFrom(ending),
    });
    this.#fixed = text.fixed ?? this.#fixed;
    this.#nominated = text.nominated?.map(claimFrom) ?? this.#nominated;
    this.#order = text.order ?? this.#order;
    const groups = new Map(
      [...this.#groups].filter(([id]) => this.#order.includes(id)),
    );
    this.#groups = groups;
    for (const waiting of text.waiting ?? []) this.#takeGroup(waiting);
  }

  #takeGroup(text: WaitingText): void {
    const { id, plan } = text;
    this.#groups.set(id, { ...this.#groups.get(id), ...text } as Known);
    if (typeof plan !== "object") return;
    const { taken, surplus, reserved } = plan;
    const rest = fromPlain(plan.plan) as Plan;
    const other = {
      ...rest,
      ...(taken && { taken: this.#usesFrom(taken) }),
      ...(surplus && { surplus: this.#usesFrom(surplus) }),
      ...(reserved && {
        reservation: { ...rest.reservation!, uses: this.#usesFrom(reserved) },
      }),
    };
    const made = { nodes: this.#nodes, settings: this.#fixed!.settings };
    this.#others.set(id, plan.isHere ? withMadeOn(other, made) : other);
  }

  #waitingOf(id: string, unheard: Unheard): Waiting {
    const {
      plan,
      reserved,
      before,
      refused,
      nominated,
      composite,
      shortSince,
      runTime,
      gangs,
      ...rest
    } = this.#groups.get(id)!;
    const last = this.#plans.get(id);
    const answers = new Map(nominated);
    return {
      ...rest,
      gangs: () => {
        const isKnown = gangs?.every(({ candidates }) =>
          candidates.every(([kind]) => this.#kinds.has(kind))
        );
        if (!isKnown) unheard(`the gangs of ${id}`);
        return isKnown ? gangs!.map((gang) => this.#gangFrom(gang)) : [];
      },
      plan: plan === "none" ? undefined : plan === "last" ? last : this.#others.get(id),
      reserved: this.#reservedFrom(reserved, last),
      before: this.#beforeFrom(before, last),
      refused: refusedFrom(refused),
      nominated: {
        get: (uid) => {
          if (!answers.has(uid)) unheard(`where ${uid} is nominated to`);
          return answers.get(uid) ?? undefined;
        },
      },
      composite: composite ?? undefined,
      shortSince: shortSince ?? undefined,
      runTime: runTime ?? undefined,
    };
  }

  #reservedFrom(text: Known["reserved"] | undefined, last: Plan | undefined): Waiting["reserved"] {
    if (text === undefined || text === "none") return undefined;
    if (text === "last") return last?.reservation;
    return { ...text.estimate, uses: this.#usesFrom(text.uses) };
  }

  #beforeFrom(text: Known["before"], last: Plan | undefined): Waiting["before"] {
    if (text === "none") return undefined;
    if (text === "last") return [...last?.taken ?? [], ...last?.surplus ?? []];
    return this.#usesFrom(text);
  }

  #gangFrom(
    { facts, held, candidates, placed, minResources = [], evictsBelow = -Infinity }:
      PlannedGangText,
  ): PlannedGang {
    const someone = { namespace: "", name: "", uid: "" };
    return {
      facts: { ...facts, held: new Array(held).fill(someone) },
      candidates: candidates.flatMap(([kind, ...uids]) =>
        uids.map((uid) => ({ ...this.#kinds.get(kind)!, ...(uid !== null && { uid }) }))
      ),
      placed: placed.map(({ requests, ...place }) => ({
        ...place,
        requests: this.#amounts[requests]!,
      })),
      minResources: amountsFrom(minResources),
      evictsBelow,
    };
  }

  #kindFrom({ requests, except, kind, role, exclusive, hasPreference, rules }: KindText): Kind {
    const without = new Set(except);
    return {
      kind,
      requests: this.#amounts[requests]!,
      role,
      exclusive,
      hasPreference,
      rules,
      mayRunOn: (node) => !without.has(node),
    };
  }

  #usesFrom(texts: readonly UseText[]): Use[] {
    return texts.map(({ requests, ...use }) => ({ ...use, requests: this.#amounts[requests]! }));
  }

  #endingFrom({ uses, ...ending }: EndingText): Omit<Ending, "id"> {
    return {
      ...ending,
      uses: uses.map(({ requests, ...use }) => ({ ...use, requests: this.#amounts[requests]! })),
    };
  }

  #runningOf({ priority, pods: text, gangs, trees, budgets }: RunningText): Running {
    const pods = this.#running.get(priority) ?? new Map<string, RunningPod>();
    this.#running.set(priority, pods);
    const read = (pod: NonNullable<NonNullable<typeof text>["set"]>[number][1]) => ({
      ...pod,
      uid: "",
      requests: this.#amounts[pod.requests]!,
    });
    readDelta(pods, { text, read });
    return {
      pods: [...pods].map(([uid, pod]) => ({ ...pod, uid })),
      gangs: new Map(gangs),
      ...(trees && { trees }),
      budgets: new Map(budgets),
    };
  }
}

function amountsFrom(text: AmountsText): Resources {
  return new Map(text.map(([resource, amount]) => [resource, amount ?? Infinity]));
}

function refusedFrom(texts: Known["refused"]): NonNullable<Waiting["refused"]> {
  return new Map(texts.map(([kind, nodes, each]) => [kind, {
    more: new Map(nodes.map((node) => typeof node === "string" ? [node, 0] : node)),
    ...(each !== undefined && { each }),
  }]));
}

function claimFrom([node, priority, amounts]: ClaimText) {
  return { node, priority, requests: amountsFrom(amounts) };
}
