/**
 * `deno task replay`: the decisions of a recording, made again by today's code.
 *
 * @module
 */
import { Command, Option } from "commander";
import { decisions } from "../shared/core/attend/decisions.ts";
import { type OtherPlan, PlanReplay } from "../shared/core/record/plan_replay.ts";
import { isSame, Replay, type Replayed } from "../shared/core/record/replay.ts";
import { exitWith } from "./exit_with.ts";
import { exitCodes, Failure } from "./muster/failure.ts";
import { printable } from "./muster/table.ts";
import { print } from "./print.ts";
import { type ReadLine, readRecording } from "./replay/read_recording.ts";
import { doneIn, namesIn, storyOf, timeOf } from "./replay/story.ts";

const command = new Command("deno task replay")
  .description(
    "Makes the decisions of a recording (deno task start --record) again and says where today's code decides otherwise. " +
      "Exit code 0 means that it decides alike, 4 that it does not.",
  )
  .argument("<file...>", "the recording; where it has gone on in a second file, <file>.1 first")
  .addOption(
    new Option("--gang <namespace/name>", "tell the story of this gang's group")
      .env("MUSTER_REPLAY_GANG"),
  )
  .exitOverride();

/** The exit code where today's code decides otherwise. */
const differs = 4;

/** A decision, and where in which file it stands. */
interface Found {
  readonly replayed: Replayed;
  readonly where: string;
}

/** Decides again; prints what is asked for, and gives the exit code. */
async function main(args: string[]): Promise<number> {
  const { args: files } = command.parse(args, { from: "user" });
  const { gang } = command.opts<{ gang?: string }>();
  const lines = (await Promise.all(files.map(read))).flat();
  const missed = lines.reduce((sum, { line }) => sum + ("missed" in line ? line.missed : 0), 0);
  const all = decideAgain(lines);
  const told = gang === undefined ? all : ofGang(all, gang);
  if (gang !== undefined) {
    for (const line of storyOf(told.map(({ replayed }) => replayed))) print(printable(line));
  }
  const others = told.filter(({ replayed }) => !isSame(replayed));
  tellDifferences(others);
  const plans = planAgain(lines, gang);
  tellOtherPlans(plans.others);
  const groups = new Set(told.map(({ replayed }) => replayed.entry.group));
  print(
    `${told.length} decisions about ${groups.size} gang groups: ${others.length} are others today` +
      (missed > 0 ? `; the recording misses ${missed}` : ""),
  );
  if (plans.count > 0) {
    print(`${plans.count} plans of all groups: ${plans.others.length} of a group are others today`);
  }
  return others.length + plans.others.length > 0 ? differs : exitCodes.done;
}

async function read(file: string): Promise<ReadLine[]> {
  try {
    return await readRecording(file);
  } catch (error) {
    throw new Failure(`Cannot read the recording "${file}": ${(error as Error).message}`);
  }
}

function decideAgain(lines: readonly ReadLine[]): Found[] {
  const replay = new Replay(decisions);
  return lines.flatMap(({ line, where }) => {
    try {
      return replay.next(line).map((replayed) => ({ replayed, where }));
    } catch (error) {
      throw new Failure(`Cannot replay ${where}: ${(error as Error).message}`);
    }
  });
}

/** How often all groups were planned, and plans that are others today: of all gangs, or of one. */
function planAgain(
  lines: readonly ReadLine[],
  gang: string | undefined,
): { count: number; others: (OtherPlan & { where: string })[] } {
  const replay = new PlanReplay(decisions.plan);
  const all = lines.flatMap(({ line, where }) => {
    const replanned = replay.next(line);
    return replanned ? [replanned.others.map((other) => ({ ...other, where }))] : [];
  });
  const isTold = ({ group }: OtherPlan) => gang === undefined || group.split(",").includes(gang);
  return { count: all.length, others: all.flat().filter(isTold) };
}

/** Of each group the first. */
function tellOtherPlans(others: readonly (OtherPlan & { where: string })[]): void {
  for (const [group, found] of Map.groupBy(others, ({ group }) => group)) {
    const [{ where, at, then, now }] = found as [OtherPlan & { where: string }];
    print(printable(`${where}, ${timeOf(at)}, ${group}: plan`));
    print(printable(`  then: ${then}`));
    print(printable(`  now:  ${now}`));
    if (found.length > 1) print(`  and ${found.length - 1} more, which may follow from it`);
  }
}

function ofGang(all: readonly Found[], gang: string): Found[] {
  const found = all.filter(({ replayed }) => replayed.entry.group.split(",").includes(gang));
  if (found.length > 0) return found;
  throw new Failure(
    `The recording has no gang "${gang}": give it as namespace/name`,
    exitCodes.notFound,
  );
}

/** Of each group the first, because what follows may follow from it. */
function tellDifferences(others: readonly Found[]): void {
  const names = namesIn(others.map(({ replayed }) => replayed));
  for (const [group, found] of Map.groupBy(others, ({ replayed }) => replayed.entry.group)) {
    const [{ where, replayed }] = found as [Found];
    const { event, entry, then, now, unheard } = replayed;
    const rest = found.length - 1;
    print(printable(`${where}, ${timeOf(entry.at)}, ${group}: ${event?.is ?? "filter"}`));
    print(printable(`  then: ${doneIn(then, names) || then.join("; ") || "nothing"}`));
    print(printable(`  now:  ${doneIn(now, names) || now.join("; ") || "nothing"}`));
    if (unheard.length > 0) print(printable(`  not in the recording: ${unheard.join(", ")}`));
    if (rest > 0) print(`  and ${rest} more, which may follow from it`);
  }
}

if (import.meta.main) await exitWith(() => main(Deno.args));
