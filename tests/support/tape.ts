import { type Decisions, decisions } from "../../shared/core/attend/decisions.ts";
import { type OtherPlan, PlanReplay } from "../../shared/core/record/plan_replay.ts";
import type { Tape } from "../../shared/core/record/tape.ts";
import { type Header, type Line, recordingVersion } from "../../shared/core/record/recording.ts";
import { isSame, Replay, type Replayed } from "../../shared/core/record/replay.ts";

/** A recording in memory. */
export class MemoryTape implements Tape {
  part = 0;
  isOpen = true;
  missedCount = 0;
  readonly written: string[] = [];

  write(line: string): void {
    this.written.push(line);
  }

  missed(): void {
    this.missedCount++;
  }

  /** Its lines, as they are read. */
  get lines(): Line[] {
    const header: Header = {
      recording: recordingVersion,
      muster: "0.1.0",
      startedAt: new Date(0).toISOString(),
      cluster: "cluster",
      isHashed: false,
    };
    return [header, ...this.written.map((line) => JSON.parse(line) as Line)];
  }
}

/** Every decision of a recording, made again. */
export function replayed(lines: readonly Line[], decisions: Decisions): Replayed[] {
  const replay = new Replay(decisions);
  return lines.flatMap((line) => replay.next(line));
}

/** Where it was decided otherwise, or asked what was not recorded. */
export function differencesIn(all: readonly Replayed[]): Replayed[] {
  return all.filter((one) => !isSame(one) || one.unheard.length > 0);
}

/** How often all groups were planned, and where one is planned otherwise today, or asked what was not recorded. */
export function replannedIn(
  lines: readonly Line[],
  plan: Decisions["plan"] = decisions.plan,
): { count: number; differences: (OtherPlan | string)[] } {
  const replay = new PlanReplay(plan);
  const all = lines.flatMap((line) => replay.next(line) ?? []);
  return {
    count: all.length,
    differences: all.flatMap(({ others, unheard }) => [...others, ...unheard]),
  };
}
