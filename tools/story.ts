/**
 * The story that Muster is for, as S1 tells it: a TensorFlow job of one parameter server and four workers of two GPUs,
 * in a cluster of four GPUs.
 *
 * @module
 */
import { type DescribedPod, describePod } from "./sandbox/describe_pod.ts";

/** The fields of a pod that the story looks at. */
export type StoryPod = DescribedPod;

/** A pod as the story submits it. */
export interface StoryManifest {
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    schedulerName?: string;
    containers: { name: string; image: string; resources: { limits: Record<string, string> } }[];
  };
}

/** A cluster that the story can be told on. All pods are in namespace `default`. */
export interface World {
  /** What it is made of, for the first line. */
  readonly description: string;
  addNode(node: { name: string; gpus: number }): Promise<void>;
  createPod(pod: StoryManifest): Promise<void>;
  deletePod(name: string): Promise<void>;
  /** Resolves when the predicate is true of the pods; throws after `timeout` milliseconds with `what` in the message. */
  waitFor(
    predicate: (pods: StoryPod[]) => boolean,
    options: { what: string; timeout: number },
  ): Promise<StoryPod[]>;
  /** Names of the pods that the API server has accepted a Binding for, in that order, from the beginning. */
  bindings(): Promise<string[]>;
  /** Starts a scheduler in place of the one that runs. */
  startScheduler(options: { extenderUrl?: string }): Promise<void>;
  /** Starts Muster and returns the URL of its extender. */
  startMuster(): Promise<string>;
}

/** Who did or said what; `act` begins a part of the story. */
export type Tell = (who: "act" | "cluster" | "user" | "scheduler" | "muster", what: string) => void;

/** The job of the story, which is a gang in its second part. */
export const job = "tf-smoke-gpu";
const PS = `${job}-ps-0`;
const WORKERS = [0, 1, 2, 3].map((index) => `${job}-worker-${index}`);
const MEMBERS = [PS, ...WORKERS];
const TIMEOUT = 15_000;

/** Tells the story; throws, with what was different, unless everything happens exactly as it should. */
export async function tellStory(world: World, tell: Tell): Promise<void> {
  await tellWithoutGangs(world, tell);
  await tellWaiting(world, tell);
  await tellWhole(world, tell);
}

async function tellWithoutGangs(world: World, tell: Tell): Promise<void> {
  tell("act", "1. Without gang labels: the job takes every GPU and hangs");
  for (const name of ["node-1", "node-2"]) {
    await world.addNode({ name, gpus: 2 });
    tell("cluster", `${name} is ready, with 2 GPUs`);
  }
  await world.startScheduler({});
  await submit(world, { labels: {} });
  tell("user", `${job}: 1 parameter server, 4 workers of 2 GPUs`);
  const pods = await world.waitFor(
    (all) => runningOf(all).length === 3 && isUnschedulable(all, WORKERS, 2),
    {
      what: "the parameter server and two workers run and two workers are unschedulable",
      timeout: TIMEOUT,
    },
  );
  for (const name of runningOf(pods)) tell("scheduler", `${name} runs on ${nodeOf(pods, name)}`);
  for (const [names, message] of reasons(pods)) {
    tell("scheduler", `${names.join(", ")} pending: ${message}`);
  }
  expect(runningOf(pods).includes(PS), `"${PS}" runs`, pods);
  tell(
    "user",
    "two workers wait for two that cannot come: 4 GPUs are taken and no step is trained",
  );
  for (const name of MEMBERS) await world.deletePod(name);
  await world.waitFor((all) => all.length === 0, { what: "the job is gone", timeout: TIMEOUT });
  tell("user", `${job} is deleted`);
}

async function tellWaiting(world: World, tell: Tell): Promise<void> {
  tell("act", "2. With Muster and two labels: nobody starts before all can");
  const extenderUrl = await world.startMuster();
  tell("muster", `serves the scheduler's extender calls at ${extenderUrl}`);
  await world.startScheduler({ extenderUrl });
  const before = await world.bindings();
  const labels = {
    "pod-group.scheduling.sigs.k8s.io/name": job,
    "pod-group.scheduling.sigs.k8s.io/min-available": "5",
  };
  await submit(world, { labels });
  tell("user", `${job} again, labelled as a gang of 5`);
  const saySame = (all: StoryPod[]) =>
    isUnschedulable(all, MEMBERS, 5) && reasons(all).length === 1;
  const pods = await world.waitFor(saySame, {
    what: "all five pods are pending and all say the same why",
    timeout: TIMEOUT,
  });
  for (const [names, message] of reasons(pods)) tell("muster", `${names.join(", ")}: ${message}`);
  const named = reasons(pods).filter(([, message]) => message.includes(`default/${job}`));
  expect(named.length > 0, `a reason names the gang "default/${job}"`, pods);
  const bound = (await world.bindings()).slice(before.length);
  expect(bound.length === 0, `no pod was bound, but these were: "${bound.join('", "')}"`, pods);
  tell("cluster", "0 of 5 pods were bound; all 4 GPUs are free for somebody else");
}

async function tellWhole(world: World, tell: Tell): Promise<void> {
  tell("act", "3. Four more GPUs: the whole gang starts");
  const before = await world.bindings();
  await world.addNode({ name: "node-3", gpus: 4 });
  tell("cluster", "node-3 is ready, with 4 GPUs");
  const pods = await world.waitFor((all) => runningOf(all).length === 5, {
    what: "all five pods run",
    timeout: TIMEOUT,
  });
  for (const name of runningOf(pods)) tell("scheduler", `${name} runs on ${nodeOf(pods, name)}`);
  const bound = (await world.bindings()).slice(before.length);
  expect(
    [...bound].sort().join() === MEMBERS.join(),
    `each of the five was bound once after the node came: "${bound.join('", "')}"`,
    pods,
  );
  tell("user", "the training runs, with every worker");
}

/** Creates all five at once, as a job controller does. */
async function submit(world: World, options: { labels: Record<string, string> }): Promise<void> {
  await Promise.all(MEMBERS.map((name) => {
    const limits: Record<string, string> = name === PS ? { cpu: "1" } : { "nvidia.com/gpu": "2" };
    const container = { name: "tensorflow", image: "tf-benchmarks", resources: { limits } };
    return world.createPod({
      metadata: { name, labels: options.labels },
      spec: { containers: [container] },
    });
  }));
}

function runningOf(pods: StoryPod[]): string[] {
  return pods.filter((pod) => pod.status.phase === "Running").map((pod) => pod.metadata.name)
    .sort();
}

function nodeOf(pods: StoryPod[], name: string): string | undefined {
  return pods.find((pod) => pod.metadata.name === name)?.spec.nodeName;
}

/** Whether exactly `count` of the named pods have no node and carry a reason for it. */
function isUnschedulable(pods: StoryPod[], names: string[], count: number): boolean {
  const pending = pods.filter((pod) => names.includes(pod.metadata.name) && whyPending(pod));
  return pending.length === count;
}

function whyPending(pod: StoryPod): string | undefined {
  if (pod.spec.nodeName) return undefined;
  return pod.status.conditions?.find(({ type, status, reason }) =>
    type === "PodScheduled" && status === "False" && reason === "Unschedulable"
  )?.message;
}

/** The pending pods, those with the same sentence together. */
function reasons(pods: StoryPod[]): [names: string[], message: string][] {
  const byMessage = new Map<string, string[]>();
  for (const pod of pods) {
    const message = whyPending(pod);
    if (message === undefined) continue;
    byMessage.set(message, [...byMessage.get(message) ?? [], pod.metadata.name].sort());
  }
  return [...byMessage].map(([message, names]) => [names, message]);
}

function expect(holds: boolean, what: string, pods: StoryPod[]): void {
  if (holds) return;
  throw new Error(`Expected that ${what}; the pods are:\n${pods.map(describePod).join("\n")}`);
}
