import { print } from "../../cli/print.ts";

const seed = Number(Deno.env.get("MUSTER_SEED") ?? 1);
const progressEveryMs = 5000;

/** What a worker says: how many histories are done, and in the end the counter-example or that there is none. */
export type Report = { readonly done: number } | { readonly result: string | undefined };

/**
 * Shares histories among the cores; seed after seed (`MUSTER_SEED` is the first, 1 when absent), so that a counter-example is
 * found again alone.
 *
 * @throws {Error} that tells the counter-example.
 */
export async function search(
  workerUrl: URL,
  task: { readonly runs: number } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const cores = Math.min(navigator.hardwareConcurrency, 4, task.runs);
  const runs = Math.ceil(task.runs / cores);
  let done = 0;
  const progress = setInterval(
    () => print(`${done} of ${runs * cores} histories, seed ${seed}`),
    progressEveryMs,
  );
  const workers: Worker[] = [];
  try {
    await Promise.all(Array.from({ length: cores }, (_, core) => {
      const worker = new Worker(workerUrl, { type: "module" });
      workers.push(worker);
      return resultOf(worker, { ...task, runs, seed: seed + core }, (more) => done += more);
    }));
  } finally {
    clearInterval(progress);
    for (const worker of workers) worker.terminate();
  }
}

/** Resolves when the worker is done. */
function resultOf(worker: Worker, task: unknown, told: (done: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Report>) => {
      if ("done" in data) told(data.done);
      else if (data.result === undefined) resolve();
      else reject(new Error(data.result));
    };
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage(task);
  });
}

/** Answers the task that a worker is given, by a counter-example or by undefined. */
export function work<Task>(
  run: (task: Task, report: (done: number) => void) => Promise<string | undefined>,
): void {
  const worker = self as unknown as {
    onmessage: (message: MessageEvent<Task>) => void;
    postMessage: (report: Report) => void;
  };
  worker.onmessage = async ({ data: task }) => {
    try {
      worker.postMessage({ result: await run(task, (done) => worker.postMessage({ done })) });
    } catch (error) {
      worker.postMessage({ result: String((error as Error).stack) });
    }
  };
}
