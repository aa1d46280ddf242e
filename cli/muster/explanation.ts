/**
 * What `kubectl muster explain` says of a gang.
 *
 * @module
 */
import { nodeText } from "../../shared/core/words/node_text.ts";
import type { GangDetail, GangSummary } from "../../shared/contract/types.ts";
import type { StartEstimate } from "../../shared/core/gang/gang_times.ts";
import { requestsText } from "../../shared/core/words/requests_text.ts";
import {
  aheadText,
  expectedEnd,
  lengthText,
  minuteText,
  runTimeText,
  startText,
} from "../../shared/core/words/start_text.ts";
import { age, paragraph, printable, table } from "./table.ts";

/** Whether the gang still waits for nodes. */
export function waits({ phase, reason }: Pick<GangSummary, "phase" | "reason">): boolean {
  return (phase === "Pending" || phase === "Scheduling") && reason !== "Satisfied";
}

/** Members that have a node, are held or have ended well, of how many the quorum asks for. */
export function progressOf({ members, minMember }: GangSummary): string {
  return `${members.bound + members.held + members.succeeded}/${minMember}`;
}

/** The gang's phase, why it waits and since when, what would help, who is ahead, its members and its last decisions. */
export function explanation(gang: GangDetail, now: number): string {
  const since = gang.since === undefined ? "" : ` since ${gang.since} (${age(gang.since, now)})`;
  const lines = [
    gang.ended !== undefined && `${printable(gang.ended.message)} (${age(gang.ended.at, now)} ago)`,
    gang.ended !== undefined && "\n  the last that was known of it:",
    `gang ${printable(`${gang.namespace}/${gang.name}`)}: ${gang.phase}, ${gang.reason}${since}`,
    field("why", gang.message),
    gang.help !== undefined && field("helps", gang.help),
    gang.place !== undefined && field("queue", queueText(gang)),
    gang.estimate !== undefined && field("starts", startsText(gang.estimate, now)),
    gang.runTime !== undefined && field("runs", runTimeText(gang.runTime)),
    ...endsText(gang, now),
    gang.spec.queue !== undefined && field("in queue", gang.spec.queue),
    field("members", membersText(gang)),
    gang.deadline !== undefined &&
    field("deadline", `${gang.deadline} (${until(gang.deadline, now)})`),
    gang.failedAt !== undefined &&
    field("failed", `${gang.failedAt} (${age(gang.failedAt, now)} ago)`),
    ...(gang.earlier ?? []).map(({ at, message }) =>
      field("before", `${message} (${age(at, now)} ago)`)
    ),
    gang.pods !== undefined && gang.pods.length > 0 && `\n${podsText(gang.pods)}`,
    gang.decisions.length > 0 && "\n  last decisions, newest first:",
    ...gang.decisions.map(({ at, stage, verdict, reason, message }) =>
      paragraph(message, {
        start: `  ${age(at, now).padStart(5)}  ${stage} ${verdict}, ${reason}: `,
        indent: "         ",
      })
    ),
  ];
  return lines.filter((line) => line !== false).join("\n");
}

function field(name: string, text: string): string {
  return paragraph(text, { start: `  ${`${name}:`.padEnd(10)}`, indent: " ".repeat(12) });
}

function queueText({ place, ahead = [] }: GangDetail): string {
  if (place === 1) return "place 1: nobody is ahead";
  const more = place! - 1 - ahead.length;
  return `place ${place}, behind ${ahead.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function startsText(estimate: StartEstimate, now: number): string {
  return `${startText(estimate)} (${aheadText(estimate.startsAt, now)})`;
}

/** Of a gang that runs. */
function endsText({ startedAt, endedAt, runTime, ended }: GangDetail, now: number): string[] {
  if (startedAt === undefined || endedAt !== undefined || ended) return [];
  const endsAt = expectedEnd(Date.parse(startedAt), runTime);
  if (endsAt === undefined) return [];
  const time = new Date(endsAt).toISOString();
  const text = endsAt > now
    ? `expected at ${minuteText(time)} (${aheadText(time, now)})`
    : `expected at ${minuteText(time)}: it has run for longer by ${
      lengthText((now - endsAt) / 1000)
    }`;
  return [field("ends", text)];
}

function membersText({ members, minMember, spec }: GangDetail): string {
  const { running: _, ...classes } = members;
  const counts = Object.entries(classes).filter(([, count = 0]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  const total = spec.totalMember === undefined ? "" : ` of ${spec.totalMember} in all`;
  return `${counts.join(", ") || "none"}; ${minMember}${total} must be placed together`;
}

function podsText(pods: NonNullable<GangDetail["pods"]>): string {
  const hasDomains = pods.some(({ domain }) => domain !== undefined);
  const titles = ["MEMBER", "STATE", "NODE", ...(hasDomains ? ["DOMAIN"] : []), "REQUESTS"];
  const rows = pods.map((pod) => [
    pod.name,
    pod.state,
    nodeText(pod),
    ...(hasDomains ? [pod.domain ?? "-"] : []),
    requestsText(pod),
  ]);
  return table([titles, ...rows].map(([first = "", ...others]) => [`  ${first}`, ...others]));
}

function until(time: string, now: number): string {
  return Date.parse(time) < now ? "over" : `in ${Math.ceil((Date.parse(time) - now) / 1000)}s`;
}
