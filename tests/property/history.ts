/**
 * Random lives of one gang group, told to `step` as relays would tell them.
 *
 * @module
 */
import fc from "fast-check";
import type { GangSpec, Group, Loss, PodRef } from "../../shared/core/gang/facts.ts";
import { profiles, type Settings } from "../../shared/core/gang/settings.ts";
import type { StageEvent } from "../../shared/core/stage/step.ts";

/** Something that happens, by names of gangs and numbers of members, so that a counterexample reads like a story. */
export type Happening =
  | {
    do:
      | "create"
      | "delete"
      | "gate"
      | "ungate"
      | "hold"
      | "hold-unasked"
      | "bind"
      | "succeed"
      | "fail"
      | "lose";
    pod: string;
  }
  | { do: "refuse"; pod: string }
  | { do: "ask" | "prefilter" | "repeat" | "delayed" | "wipe" | "restart" | "recreate" }
  | { do: "wait"; seconds: number };

/** A gang group and what happens to it. */
export interface History {
  profile: keyof typeof profiles;
  gangs: Pick<GangSpec, "name" | "minMember" | "mode" | "matchPolicy" | "waitSeconds">[];
  happenings: Happening[];
}

const membersPerGang = 4;

const happening = (names: string[]): fc.Arbitrary<Happening> => {
  const pod = fc.tuple(fc.constantFrom(...names), fc.nat(membersPerGang - 1))
    .map(([name, index]) => `${name}-${index}`);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("create" as const), pod }) },
    { weight: 10, arbitrary: fc.record({ do: fc.constantFrom("hold", "hold-unasked"), pod }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom(
          "delete",
          "gate",
          "ungate",
          "bind",
          "succeed",
          "fail",
          "lose",
          "refuse",
        ),
        pod,
      }),
    },
    { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("ask", "prefilter") }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom("repeat", "delayed", "wipe", "restart", "recreate"),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("wait" as const),
        seconds: fc.constantFrom(1, 4, 9, 61),
      }),
    },
  ) as fc.Arbitrary<Happening>;
};

const gangs = fc.integer({ min: 1, max: 2 }).chain((count) =>
  fc.tuple(
    ...["a", "b"].slice(0, count).map((name) =>
      fc.record({
        name: fc.constant(name),
        minMember: fc.integer({ min: 1, max: membersPerGang }),
        mode: fc.constantFrom("Strict", "NonStrict"),
        matchPolicy: fc.constantFrom(
          undefined,
          "once-satisfied",
          "waiting-and-running",
          "only-waiting",
        ),
        waitSeconds: fc.constantFrom(undefined, 5, 30),
      })
    ),
  )
) as fc.Arbitrary<History["gangs"]>;

/** Histories of so many events on average; they shrink to one. */
export function histories(events: number): fc.Arbitrary<History> {
  return gangs.chain((gangs) =>
    fc.record({
      profile: fc.constantFrom(...Object.keys(profiles) as (keyof typeof profiles)[]),
      gangs: fc.constant(gangs),
      happenings: fc.array(happening(gangs.map(({ name }) => name)), {
        minLength: 1,
        maxLength: 2 * events,
        size: "max",
      }),
    })
  );
}

type Place = "pending" | "gated" | "held" | "bound" | "succeeded" | "failed";

/** The pods of a gang group, and the facts that a relay would tell about them. */
export class World {
  readonly settings: Settings;
  readonly #gangs: History["gangs"];
  readonly #pods = new Map<string, Place>();
  readonly #refused = new Set<string>();
  #relay = 1;
  #epoch = 0;
  #generation = 1;

  constructor(history: Pick<History, "profile" | "gangs">) {
    this.settings = profiles[history.profile];
    this.#gangs = history.gangs;
  }

  /** What the happening changes, and the call that a relay makes of it; undefined: none. */
  happen(happening: Happening): StageEvent | undefined {
    switch (happening.do) {
      case "create":
        if (!this.#pods.has(happening.pod)) this.#pods.set(happening.pod, "pending");
        return undefined;
      case "delete":
        return this.#leave(happening.pod, undefined);
      case "lose":
        return this.#pods.get(happening.pod) === "held"
          ? this.#leave(happening.pod, "pending")
          : undefined;
      case "gate":
        return this.#move(happening.pod, { from: "pending", to: "gated" });
      case "ungate":
        return this.#move(happening.pod, { from: "gated", to: "pending" });
      case "succeed":
        return this.#move(happening.pod, { from: "bound", to: "succeeded" });
      case "fail":
        return this.#move(happening.pod, { from: "bound", to: "failed" });
      case "bind":
        // By hand or by another scheduler.
        return this.#move(happening.pod, { from: "pending", to: "bound" });
      case "hold":
        if (this.#pods.get(happening.pod) !== "pending") return undefined;
        this.#move(happening.pod, { from: "pending", to: "held" });
        return this.#event({ stage: "permit" });
      case "hold-unasked":
        // The relay has not come to ask about it yet.
        return this.#move(happening.pod, { from: "pending", to: "held" });
      case "refuse":
        if (this.#pods.get(happening.pod) !== "pending") return undefined;
        this.#refused.add(happening.pod);
        return this.#event({ stage: "postfilter" });
      case "ask":
        return this.#event({ stage: "permit" });
      case "prefilter":
        return this.#event({ stage: "prefilter" });
      case "restart":
        this.#relay++;
        this.#epoch = 0;
        for (const [uid, place] of this.#pods) if (place === "held") this.#pods.set(uid, "pending");
        return this.#event({ stage: "permit" });
      case "recreate":
        this.#generation++;
        return this.#event({ stage: "permit" });
      default:
        return undefined;
    }
  }

  /** Carries an answer out, as a relay does. */
  carryOut(answer: { allow: readonly string[]; reject: readonly string[] }): void {
    for (const uid of answer.allow) this.#pods.set(uid, "bound");
    for (const uid of answer.reject) this.#pods.set(uid, "pending");
  }

  #move(uid: string, { from, to }: { from: Place; to: Place }): undefined {
    if (this.#pods.get(uid) === from) this.#pods.set(uid, to);
    this.#refused.delete(uid);
  }

  #leave(uid: string, to: Place | undefined): StageEvent | undefined {
    const wasHeld = this.#pods.get(uid) === "held";
    this.#refused.delete(uid);
    if (to) this.#pods.set(uid, to);
    else this.#pods.delete(uid);
    const cause = to ? "aborted" : "deleted";
    const gang = `default/${gangOf(uid)}`;
    if (wasHeld) {
      return this.#event({ stage: "unreserve", lost: [{ pod: podRef(uid), cause, gang }] });
    }
    return this.#pods.size === 0
      ? this.#event({ stage: "unreserve", lost: [{ pod: podRef(uid), cause: "gone", gang }] })
      : undefined;
  }

  #event(
    call: { stage: "permit" | "prefilter" | "postfilter" } | { stage: "unreserve"; lost: Loss[] },
  ): StageEvent {
    const common = { group: this.#facts(), settings: this.settings };
    switch (call.stage) {
      case "permit":
        return { stage: "permit", ...common };
      case "prefilter":
        return { stage: "prefilter", ...common };
      case "unreserve":
        return { ...call, ...common };
      case "postfilter": {
        const failed = [...this.#refused]
          .map((uid) => ({ uid, message: "no room", gang: `default/${gangOf(uid)}` }));
        return { stage: "postfilter", ...common, failed };
      }
    }
  }

  #facts(): Group {
    const groups = this.#gangs.map(({ name }) => `default/${name}`);
    const facts = this.#gangs.map((gang) => {
      const own = [...this.#pods].filter(([uid]) => gangOf(uid) === gang.name);
      const count = (place: Place) => own.filter(([, at]) => at === place).length;
      return {
        gang: {
          namespace: "default",
          createdAt: "2026-01-01T00:00:00Z",
          uid: `${gang.name}-${this.#generation}`,
          ...gang,
          ...(groups.length > 1 && { groups }),
        },
        census: {
          pending: count("pending"),
          gated: count("gated"),
          bound: count("bound"),
          running: 0,
          succeeded: count("succeeded"),
          failed: count("failed"),
          terminating: 0,
        },
        held: own.filter(([, at]) => at === "held").map(([uid]) => podRef(uid)),
      };
    });
    return { relay: { id: `relay-${this.#relay}`, epoch: ++this.#epoch }, gangs: facts };
  }
}

function gangOf(uid: string): string {
  return uid.slice(0, uid.lastIndexOf("-"));
}

function podRef(uid: string): PodRef {
  return { namespace: "default", name: uid, uid };
}
