/**
 * What `kubectl muster explain` says of a gang.
 *
 * @module
 */
import type { GangDetail, GangSummary } from "../../shared/contract/types.ts";
import { age, paragraph, printable } from "./table.ts";

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
    `gang ${printable(`${gang.namespace}/${gang.name}`)}: ${gang.phase}, ${gang.reason}${since}`,
    field("why", gang.message),
    gang.help !== undefined && field("helps", gang.help),
    gang.place !== undefined && field("queue", queueText(gang)),
    field("members", membersText(gang)),
    gang.deadline !== undefined &&
    field("deadline", `${gang.deadline} (${until(gang.deadline, now)})`),
    gang.failedAt !== undefined &&
    field("failed", `${gang.failedAt} (${age(gang.failedAt, now)} ago)`),
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

function membersText({ members, minMember, spec }: GangDetail): string {
  const { running: _, ...classes } = members;
  const counts = Object.entries(classes).filter(([, count = 0]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
  const total = spec.totalMember === undefined ? "" : ` of ${spec.totalMember} in all`;
  return `${counts.join(", ") || "none"}; ${minMember}${total} must be placed together`;
}

function until(time: string, now: number): string {
  return Date.parse(time) < now ? "over" : `in ${Math.ceil((Date.parse(time) - now) / 1000)}s`;
}
