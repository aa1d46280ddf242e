/**
 * The stages as a relay calls them, some of them answered by a team's own policy.
 *
 * @module
 */
import { AbortError } from "p-retry";
import type { SortedQueue, Stages } from "../../functions/stages.ts";
import type { PolicyFacts } from "../../shared/cluster/policy_facts.ts";
import type { PrefilterRequest, QueueSortRequest } from "../../shared/contract/types.ts";
import {
  askAgainOf,
  couldStart,
  isToBeAdmitted,
  keyProblem,
  wordOf,
  wordOfSilence,
} from "../../shared/core/attend/own_stage.ts";
import { isOrderMissing, type StageName } from "../../shared/core/attend/stage_health.ts";
import { gangId, type Group, groupName, type PolicyWord } from "../../shared/core/gang/facts.ts";
import { limits } from "../../shared/core/gang/limits.ts";
import type { Admission, Decision } from "../../shared/core/stage/decision.ts";
import { title, whyPending } from "../../shared/core/words/why_pending.ts";
import { policyText } from "../../shared/core/words/policy_text.ts";
import type { OwnStage } from "./own_stage.ts";
import type { Shadows } from "./shadows.ts";
import type { AnswerOf } from "./stage_call.ts";

/** What stands beside Muster's functions. */
export interface OwnStagesOptions {
  readonly facts: PolicyFacts;
  readonly own: readonly OwnStage[];
  readonly shadows: Shadows;
}

/** The stages that decide about one gang group. */
type DecidingStage = "prefilter" | "permit" | "postfilter" | "unreserve";
/** What one of them is asked, and the id of the call. */
type Call<Stage extends DecidingStage> = Parameters<Stages[Stage]>;

/** Groups of which it is remembered what a policy said. */
const remembered = 10_000;

/** Muster's functions, and for some stages a team's own. */
export class OwnStages implements Stages {
  readonly #builtIn: Stages;
  readonly #facts: PolicyFacts;
  readonly #own: ReadonlyMap<StageName, OwnStage>;
  readonly #shadows: Shadows;
  /** What admit said last, by gang group. */
  readonly #words = new Map<string, PolicyWord>();
  /** Gang groups that admit let in for which pods leave: whoever left did so for good. */
  readonly #leftFor = new Set<string>();

  constructor(builtIn: Stages, { facts, own, shadows }: OwnStagesOptions) {
    this.#builtIn = builtIn;
    this.#facts = facts;
    this.#own = new Map(own.map((stage) => [stage.stage, stage]));
    this.#shadows = shadows;
  }

  /** The order, by whoever is to give it; where nothing is to be ordered it is Muster's functions that are asked. */
  async queueSort(request: QueueSortRequest, requestId: string): Promise<SortedQueue> {
    if (request.units.length === 0) return await this.#builtIn.queueSort(request, requestId);
    const told = this.#isTold("queue-sort") ? this.#withCluster(request) : request;
    const sorted = await this.#sort(request, { told, requestId });
    this.#shadows.ask("queue-sort", { request: told, requestId, decided: sorted });
    return sorted;
  }

  async #sort(
    request: QueueSortRequest,
    { told, requestId }: { told: QueueSortRequest; requestId: string },
  ): Promise<SortedQueue> {
    const own = this.#stage("queue-sort");
    if (!own) return await this.#builtIn.queueSort(request, requestId);
    try {
      const check = ({ keys }: AnswerOf<"queue-sort">) => keyProblem(request.units, keys);
      const { keys, askAgainSeconds } = await own.ask(told, { requestId, check });
      return { keys, askAgainSeconds: askAgainOf(askAgainSeconds), order: "own" };
    } catch (error) {
      if (own.failureMode === "wait") throw forGood(error);
      const { keys } = await this.#builtIn.queueSort(request, requestId);
      return { keys, askAgainSeconds: askAgainOf(0), order: "built-in" };
    }
  }

  /** The verdict of prefilter; of a group that could start now, admit has the last word. */
  async prefilter(request: PrefilterRequest, requestId: string): Promise<Admission> {
    const group = groupName(request);
    const known = this.#words.get(group);
    const admission = await this.#judge(request, { word: known, requestId });
    if (!isToBeAdmitted(request, admission)) {
      this.#words.delete(group);
      this.#leftFor.delete(group);
      return known && admission.reason === "CustomPolicy"
        ? await this.#judge(request, { word: undefined, requestId })
        : admission;
    }
    if (this.#leftFor.has(group)) return admission;
    const word = await this.#admit(request, requestId);
    this.#remember(group, word);
    if (!word && request.fit?.leaving) keep(this.#leftFor, group);
    return isSame(word, known) ? admission : await this.#judge(request, { word, requestId });
  }

  async #judge(
    request: PrefilterRequest,
    { word, requestId }: { word: PolicyWord | undefined; requestId: string },
  ): Promise<Admission> {
    const told = word ? { ...request, policy: word } : request;
    const admission = await this.#decide("prefilter", [told, requestId]);
    const isHeard = admission.reason === "CustomPolicy" || !couldStart(request, admission);
    if (!word || isHeard) return admission;
    // Who answers prefilter does not know what admit says: functions of an earlier version, or another policy.
    const why = whyPending({ reason: "CustomPolicy", title: title(request), policy: word });
    const { askAgainSeconds: retryAfterSeconds } = word;
    return { ...admission, verdict: "reject", ...why, retryAfterSeconds };
  }

  /** Why a group that could start waits; undefined: it does not. */
  async #admit(request: Group, requestId: string): Promise<PolicyWord | undefined> {
    const order = this.#stage("queue-sort");
    if (order?.failureMode === "wait" && isOrderMissing(order.health, Date.now())) {
      return wordOfSilence({ ...order, stage: "queue-sort", error: order.health.error });
    }
    if (!this.#isTold("admit")) return undefined;
    const { relay, gangs } = request;
    const ids = gangs.map(({ gang }) => gangId(gang));
    const asks = Object.fromEntries(ids.map((id) => [id, this.#facts.asks(id)]));
    const told = this.#withCluster({ relay, gangs, asks }, ids);
    const word = await this.#wordOn(told, requestId);
    const decided = { verdict: word ? "wait" : "allow", message: word?.message } as const;
    this.#shadows.ask("admit", { request: told, requestId, decided });
    return word;
  }

  async #wordOn(told: unknown, requestId: string): Promise<PolicyWord | undefined> {
    const own = this.#stage("admit");
    if (!own) return undefined;
    try {
      return wordOf(await own.ask(told, { requestId }));
    } catch {
      // Muster's own admits whatever could start.
      if (own.failureMode === "built-in") return undefined;
      return wordOfSilence({ ...own, stage: "admit", error: own.health.error });
    }
  }

  permit(...call: Call<"permit">): Promise<Decision> {
    return this.#decide("permit", call);
  }

  postfilter(...call: Call<"postfilter">): Promise<Decision> {
    return this.#decide("postfilter", call);
  }

  unreserve(...call: Call<"unreserve">): Promise<Decision> {
    return this.#decide("unreserve", call);
  }

  async #decide<Stage extends DecidingStage>(
    stage: Stage,
    call: Call<Stage>,
  ): Promise<AnswerOf<Stage>> {
    const decided = await this.#askEither(stage, call);
    const [request, requestId] = call;
    // It has begun to start, or is gone.
    if (stage !== "prefilter") this.#leftFor.delete(groupName(request));
    this.#shadows.ask(stage, { request, requestId, decided });
    return decided;
  }

  async #askEither<Stage extends DecidingStage>(
    stage: Stage,
    [request, requestId]: Call<Stage>,
  ): Promise<AnswerOf<Stage>> {
    const own = this.#stage(stage);
    const builtIn = async () =>
      await this.#builtIn[stage](request as never, requestId) as AnswerOf<Stage>;
    if (!own) return await builtIn();
    try {
      const answer = await own.ask(request, { requestId });
      return { ...answer, message: policyText(answer.message, limits.sentence) };
    } catch (error) {
      if (own.failureMode === "wait") throw forGood(error);
      return await builtIn();
    }
  }

  #stage<Stage extends StageName>(stage: Stage): OwnStage<Stage> | undefined {
    return this.#own.get(stage) as OwnStage<Stage> | undefined;
  }

  /** Whether somebody else than Muster's functions is asked about it. */
  #isTold(stage: StageName): boolean {
    return this.#own.has(stage) || this.#shadows.has(stage);
  }

  /** Of gangs that are asked about themselves it is not told that they start. */
  #withCluster<Request extends object>(request: Request, asked: readonly string[] = []): Request {
    const facts = this.#facts;
    const at = new Date().toISOString();
    const units = (request as { units?: QueueSortRequest["units"] }).units;
    return {
      ...request,
      ...(units && { units: units.map((unit) => ({ ...unit, asks: facts.asks(unit.id) })) }),
      at,
      resources: facts.resources(),
      running: facts.running(),
      starting: facts.starting().filter(({ namespace, name = "" }) =>
        !asked.includes(gangId({ namespace, name }))
      ),
    };
  }

  #remember(group: string, word: PolicyWord | undefined): void {
    this.#words.delete(group);
    if (!word) return;
    this.#words.set(group, word);
    forgetFirst(this.#words);
  }
}

/** A stage that failed is left alone for a while: another attempt is in vain. */
function forGood(error: unknown): AbortError {
  return new AbortError(error as Error);
}

function keep(groups: Set<string>, group: string): void {
  groups.add(group);
  forgetFirst(groups);
}

function forgetFirst(groups: Set<string> | Map<string, unknown>): void {
  if (groups.size > remembered) groups.delete(groups.keys().next().value!);
}

/** What is said to its owner is the same; when it is asked again may differ, and follows from the newest. */
function isSame(one: PolicyWord | undefined, other: PolicyWord | undefined): boolean {
  return one?.message === other?.message && one?.reason === other?.reason &&
    one?.askAgainSeconds === other?.askAgainSeconds;
}
