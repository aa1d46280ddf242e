/**
 * Gangs that come, wait, run and go, for as long as somebody watches.
 *
 * @module
 */
import type { StoryManifest, Tell, World } from "./story.ts";

/** How gangs come, one kind after the other: members of one GPU each. */
const kinds = [
  { team: "vision", size: 4 },
  // One of its members names a scheduler that does not exist: the gang never becomes whole, and says so.
  { team: "mistaken", size: 3, isMistaken: true },
  { team: "speech", size: 2 },
  { team: "ranking", size: 6 },
  { team: "research", size: 3 },
  { team: "vision", size: 5 },
];

/** Between two looks at the cluster, in ms; the times below are numbers of looks. */
const lookMs = 1000;
const comesEvery = 3;
const runsFor = 14;
/** A gang that can not start is given up. */
const givesUpAfter = 40;
/** No more gangs come while so many wait. */
const mostWaiting = 6;

/** A gang on its way. */
interface StreamedGang {
  readonly name: string;
  /** Its pods by name, and those that are still to be created. */
  readonly members: readonly string[];
  readonly toCreate: StoryManifest[];
  /** For so many looks it has existed, and run. */
  age: number;
  ran: number;
  isOver: boolean;
}

/** Lets gangs come and go until `signal` is aborted; the pods that are there already, the gang `first`, end soon. */
export async function streamGangs(
  world: World,
  tell: Tell,
  { first, signal }: { first: string; signal: AbortSignal },
): Promise<void> {
  const members = [...await runningIn(world)];
  let gangs: StreamedGang[] = [
    { name: first, members, toCreate: [], age: 0, ran: runsFor - 5, isOver: false },
  ];
  let count = 0;
  for (let look = 0; !signal.aborted; look++) {
    const waiting = gangs.filter(({ ran }) => ran === 0).length;
    if (look % comesEvery === 0 && waiting < mostWaiting) {
      const gang = gangOf(count++);
      gangs.push(gang);
      tell("user", `${gang.name} comes: ${gang.members.length} members of 1 GPU`);
    }
    const running = await runningIn(world);
    for (const gang of gangs) await advance(gang, { world, tell, running });
    gangs = gangs.filter(({ isOver }) => !isOver);
    await pause(signal);
  }
}

/** Creates the next member, notices that the gang runs, or ends it. */
async function advance(
  gang: StreamedGang,
  { world, tell, running }: { world: World; tell: Tell; running: ReadonlySet<string> },
): Promise<void> {
  gang.age++;
  const next = gang.toCreate.shift();
  if (next) return await world.createPod(next);
  if (gang.members.every((name) => running.has(name))) gang.ran++;
  if (gang.ran === 1) tell("scheduler", `${gang.name} runs`);
  gang.isOver = gang.ran >= runsFor || (gang.ran === 0 && gang.age >= givesUpAfter);
  if (!gang.isOver) return;
  for (const name of gang.members) await world.deletePod(name);
  tell("user", `${gang.name} ${gang.ran > 0 ? "has ended" : "is given up"}`);
}

function gangOf(index: number): StreamedGang {
  const kind = kinds[index % kinds.length]!;
  const name = `${kind.team}-${index + 1}`;
  const annotations = {
    "gang.scheduling.koordinator.sh/name": name,
    "gang.scheduling.koordinator.sh/min-available": String(kind.size),
  };
  const container = {
    name: "train",
    image: "train",
    resources: { limits: { "nvidia.com/gpu": "1" } },
  };
  const toCreate = Array.from({ length: kind.size }, (_, member) => ({
    metadata: { name: `${name}-${member}`, labels: {}, annotations },
    spec: {
      containers: [container],
      ...(kind.isMistaken && member === 0 && { schedulerName: "no-such-scheduler" }),
    },
  }));
  const members = toCreate.map(({ metadata }) => metadata.name);
  return { name, members, toCreate, age: 0, ran: 0, isOver: false };
}

async function runningIn(world: World): Promise<ReadonlySet<string>> {
  const now = await world.waitFor(() => true, { what: "the pods are known", timeout: 15_000 });
  const running = now.filter(({ status }) => status.phase === "Running");
  return new Set(running.map(({ metadata }) => metadata.name));
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", end);
      resolve();
    }, lookMs);
    signal.addEventListener("abort", end, { once: true });
  });
}
