import { join } from "node:path";
import { figuresOf } from "./figures.ts";
import { describeProfile, Profiler } from "./profiler.ts";
import type { GangRecord, HoldRecord, RunRecord } from "./run_record.ts";
import { runWork, type WorkRun } from "./run_work.ts";
import { RunningSystem, type System, systems } from "./systems.ts";
import { GPUS_PER_NODE, warmUpWork, type Work, works } from "./work.ts";

/** What to run. */
export interface ContentionOptions {
  /** An empty folder for what the control planes write. */
  dir: string;
  /** Names of {@linkcode systems}. */
  systems: string[];
  /** Names of {@linkcode works}. */
  works: string[];
  repetitions: number;
  /** One more run of each with a proxy that records bind calls; none while profiles are taken. */
  isRecorded: boolean;
  /** A folder for CPU profiles of Muster's process; none are taken without it. */
  profileDir?: string;
  onProgress: (line: string) => void;
}

/** The runs of a benchmark. */
export interface ContentionRuns {
  /** In which throughput counts. */
  measured: RunRecord[];
  /** One more of each, with a proxy between scheduler and Muster that records bind calls. */
  recorded: RunRecord[];
}

/** Runs every work on every system, again and again in turn, so that what disturbs the machine for a while disturbs all alike. */
export async function runContention(options: ContentionOptions): Promise<ContentionRuns> {
  const measured: RunRecord[] = [];
  for (let repetition = 1; repetition <= options.repetitions; repetition++) {
    for (const name of rotated(options.systems, repetition - 1)) {
      measured.push(...await runSystem(name, { ...options, repetition, isRecorded: false }));
    }
  }
  const recorded: RunRecord[] = [];
  const isRecorded = options.isRecorded && options.profileDir === undefined;
  for (const name of isRecorded ? options.systems : []) {
    recorded.push(...await runSystem(name, { ...options, repetition: 1, isRecorded: true }));
  }
  return { measured, recorded };
}

type SystemRunOptions = ContentionOptions & { repetition: number };

/** Starts a system afresh and gives it one work after the other. */
async function runSystem(name: string, options: SystemRunOptions): Promise<RunRecord[]> {
  const { isRecorded, profileDir } = options;
  const system = systems[name] as System;
  const dir = join(options.dir, "control-plane");
  try {
    await using running = await RunningSystem.start(system, {
      dir,
      isRecorded,
      isProfiled: profileDir !== undefined,
    });
    await run(warmUpWork, { running, name });
    const records: RunRecord[] = [];
    for (const work of options.works.map((workName) => works[workName] as Work)) {
      const record = await run(work, { running, name, profileDir });
      records.push({ system: name, work: work.name, repetition: options.repetition, ...record });
      options.onProgress(progressLine(records.at(-1) as RunRecord, options));
    }
    return records;
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

type Outcome = Omit<RunRecord, "system" | "work" | "repetition">;

async function run(
  work: Work,
  options: { running: RunningSystem; name: string; profileDir?: string | undefined },
): Promise<Outcome> {
  const { running, name, profileDir } = options;
  const { declaration } = systems[name] as System;
  await running.growTo(work.nodes);
  await running.untilAtRest();
  let cpuSeconds: Record<string, number> = {};
  const { inspectorUrl } = running;
  using profiler = inspectorUrl === undefined || profileDir === undefined
    ? undefined
    : await Profiler.connect(inspectorUrl);
  const workRun = await runWork(work, {
    client: running.client,
    declaration,
    started: async () => {
      await profiler?.start();
      cpuSeconds = await running.cpuSeconds();
    },
    ended: async () => {
      const after = await running.cpuSeconds();
      cpuSeconds = Object.fromEntries(
        Object.entries(after).map(([name, seconds]) => [name, seconds - (cpuSeconds[name] ?? 0)]),
      );
      if (profiler === undefined || profileDir === undefined) return;
      const profile = await profiler.stop();
      const fileName = `${name}-${work.name}`;
      await Deno.mkdir(profileDir, { recursive: true });
      await Deno.writeTextFile(
        join(profileDir, `${fileName}.cpuprofile`),
        JSON.stringify(profile),
      );
      await Deno.writeTextFile(
        join(profileDir, `${fileName}.txt`),
        describeProfile(profile),
      );
    },
  });
  const holds = running.recorder && holdsOf(workRun, running.recorder);
  const gpus = work.nodes * GPUS_PER_NODE;
  return { ...sinceStart(workRun), gpus, cpuSeconds, ...(holds && { holds }) };
}

/** Moves the times so that the clock starts at 0, and rounds them to tenths of milliseconds. */
function sinceStart({ startedAt, endedAt, isStuck, gangs, impossible }: WorkRun) {
  const moved = (gang: GangRecord): GangRecord => ({
    ...gang,
    boundAt: gang.boundAt.map((at) => offset(at, startedAt)),
    deletedAt: gang.deletedAt.map((at) => offset(at, startedAt)),
  });
  return {
    endedAt: offset(endedAt, startedAt),
    isStuck,
    gangs: gangs.map(moved),
    ...(impossible && { impossible: moved(impossible) }),
  };
}

function holdsOf(
  { startedAt, endedAt, gangs, impossible }: WorkRun,
  recorder: NonNullable<RunningSystem["recorder"]>,
): HoldRecord[] {
  const all = impossible ? [impossible, ...gangs] : gangs;
  const gpus = new Map(all.map((gang) => [gang.name, gang.gpus]));
  const during = recorder.take().filter((call) => gpus.has(call.gang) && call.openedAt < endedAt);
  return during.map((call) => ({
    gang: call.gang,
    gpus: gpus.get(call.gang) ?? 0,
    from: offset(call.openedAt, startedAt),
    to: offset(Math.min(call.closedAt ?? endedAt, endedAt), startedAt),
  }));
}

function offset(at: number, startedAt: number): number {
  return Math.round((at - startedAt) * 10) / 10;
}

function rotated<T>(items: T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

function progressLine(record: RunRecord, { repetitions, isRecorded }: SystemRunOptions): string {
  const { podsPerSecond, seconds, partialGangs, overtakenGangs } = figuresOf(record);
  const which = isRecorded ? "recorded" : `${record.repetition}/${repetitions}`;
  const result = seconds === undefined
    ? "stuck"
    : `${seconds.toFixed(2)} s, ${podsPerSecond?.toFixed(0)} pods/s`;
  const cpu = Object.entries(record.cpuSeconds).map(([name, used]) => `${name} ${used.toFixed(1)}`);
  return `${which.padEnd(8)} ${record.system.padEnd(8)} ${record.work.padEnd(15)} ${result}; ` +
    `${partialGangs} partial, ${overtakenGangs} overtaken; CPU s: ${cpu.join(", ")}`;
}
