/**
 * A gang group's story, as a recording has it: what happened, what was decided, what was done, line by line.
 *
 * @module
 */
import type { GroupEvent } from "../../shared/core/attend/event.ts";
import { isUnplaced } from "../../shared/core/attend/refusal.ts";
import type { Snapshot } from "../../shared/core/attend/snapshot.ts";
import { isSame, type Replayed } from "../../shared/core/record/replay.ts";
import { listed } from "../../shared/core/words/text.ts";

/** Names of pods by uid. */
type Names = ReadonlyMap<string, string>;

/** Lines of the story; what happened several times in a row is told once, and a plan where it is another than before. */
export function storyOf(all: readonly Replayed[]): string[] {
  const names = namesIn(all);
  const lines: { at: number; text: string; times: number }[] = [];
  let planned: string | undefined;
  for (const one of all) {
    const text = toldOf(one, names);
    if (text === undefined) continue;
    if (one.event?.is === "planned") {
      if (text === planned) continue;
      planned = text;
    }
    const last = lines.at(-1);
    if (last?.text === text) last.times++;
    else lines.push({ at: one.entry.at, text, times: 1 });
  }
  return lines.map(({ at, text, times }) =>
    `${timeOf(at)}  ${text}${times > 1 ? ` (${times} times)` : ""}`
  );
}

/** `12:34:56.789`, UTC. */
export function timeOf(at: number): string {
  return new Date(at).toISOString().slice("2026-01-01T".length, -1);
}

/** What was done, in words, by names; looks and timers are left out. */
export function doneIn(effects: readonly string[], names: Names): string {
  const byVerb = Map.groupBy(
    effects.filter((effect) => effect !== "look" && !effect.startsWith("wake in ")),
    (effect) => effect.split(" ")[0]!,
  );
  return [...byVerb].map(([verb, all]) => {
    const of = all.flatMap((effect) => effect.split(" ").slice(1)).filter((word) => word !== "");
    return [verb, listed(of.map((word) => names.get(word) ?? word))].join(" ").trim();
  }).join("; ");
}

/** Names of the pods that a recording names. */
export function namesIn(all: readonly Replayed[]): Names {
  const names = new Map<string, string>();
  for (const { event } of all) {
    if (!event) continue;
    if (event.is === "refused") names.set(event.uid, event.refusal.pod.name);
    if (event.is === "call lost") names.set(event.loss.pod.uid, event.loss.pod.name);
    if (!("snapshot" in event)) continue;
    for (const { pod } of event.snapshot.calls.values()) names.set(pod.uid, pod.name);
  }
  return names;
}

/** Undefined: nothing worth a line. */
function toldOf(one: Replayed, names: Names): string | undefined {
  const { event, then, now } = one;
  const done = event ? doneIn(then, names) : "";
  const what = event ? whatHappened(event, names) : atFilter(one, names);
  const isNews = what !== undefined || done !== "" || !isSame(one);
  if (!isNews) return undefined;
  const facts = event?.is === "look" ? ` at ${countsOf(event.snapshot)}` : "";
  const follows = done === "" ? "" : `: ${done}`;
  const otherwise = isSame(one)
    ? ""
    : `; TODAY: ${doneIn(now, names) || now.join("; ") || "nothing"}`;
  return `${what ?? event?.is ?? "filter"}${facts}${follows}${otherwise}`;
}

function atFilter({ entry }: Replayed, names: Names): string | undefined {
  if (!entry.offer) return undefined;
  const name = names.get(entry.offer.uid) ?? entry.offer.uid;
  const { said } = entry;
  if (said && isUnplaced(said)) {
    return `filter has no place for ${name}: ${said}`;
  }
  return `filter lets ${name} through${said === null ? "" : ` to ${said}`}`;
}

function countsOf({ group, calls, pending }: Snapshot): string {
  const bound = group.gangs.reduce((sum, { census }) => sum + census.bound, 0);
  return `${pending} pending, ${calls.size} held, ${bound} bound`;
}

function whatHappened(event: GroupEvent, names: Names): string | undefined {
  const nameOf = (uid: string) => names.get(uid) ?? uid;
  switch (event.is) {
    case "look":
    case "asked about":
    case "declared":
      return undefined;
    case "member came":
      return "a member came";
    case "member changed":
      return event.failure &&
        `the scheduler refuses ${event.failure.name}: ${event.failure.message}`;
    case "member left":
      return `${nameOf(event.uid)} left`;
    case "place lost":
      return `${nameOf(event.uid)} lost its place${
        event.by === undefined ? "" : ` to ${event.by}`
      }`;
    case "call opened":
      return `the scheduler asks to bind ${nameOf(event.uid)}`;
    case "call lost":
      return `the call of ${event.loss.pod.name} is lost: ${event.loss.cause}`;
    case "bound":
      return `a member of ${event.gang} is bound${event.isWhole ? ", which is whole" : ""}`;
    case "gang left":
      return `${event.gang} left for another group`;
    case "gang came":
      return `${event.gang} came from another group`;
    case "let go":
      return `let go for ${event.to.title}`;
    case "refused":
      return `filter refuses ${event.refusal.pod.name}: ${event.refusal.reason}`;
    case "ungating":
      return "its gates are removed";
    case "planned": {
      const { fit, ahead } = event.plan;
      const short = fit.shortOf === undefined ? "" : `, short of ${fit.shortOf}`;
      return `planned: ${fit.members} of ${fit.of} fit${short}${
        ahead ? `, behind ${ahead.gang}` : ""
      }`;
    }
    case "answered": {
      const { verdict, reason, message } = event.answer;
      return `answer: ${verdict}, ${reason}: ${message}`;
    }
    case "unanswered":
      return `no answer: ${event.why.message}`;
    case "forget answers":
      return "another relay acts";
  }
}
