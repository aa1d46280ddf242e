import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { startProgram } from "../../tools/program.ts";
import { startSandbox } from "../../tools/sandbox/sandbox.ts";
import { podOf } from "../support/gang_pods.ts";
import { type Span, TraceCollector } from "../support/trace_collector.ts";

/** Starts a task's program; resolves when it listens. */
function start(
  script: string,
  options: { args: string[]; env: Record<string, string>; dir: string },
) {
  const { args, env, dir } = options;
  const logFile = join(dir, `${script.replaceAll("/", "_")}.log`);
  return startProgram({ name: script, script, args: ["--port=0", ...args], env, logFile });
}

/** Spans of a gang of two that was bound, with the functions in the relay's process or in another. */
async function tracesOf(where: "in-process" | "elsewhere"): Promise<TraceCollector> {
  await using cleanup = new AsyncDisposableStack();
  const dir = await Deno.makeTempDir({ prefix: "muster-traces-" });
  cleanup.defer(() => Deno.remove(dir, { recursive: true }));
  const collector = cleanup.use(new TraceCollector());
  const sandbox = await startSandbox();
  cleanup.defer(() => sandbox.stop());
  await sandbox.addNode({ name: "node-1", gpus: 4 });
  const env = collector.variables;
  const store = `--store=${join(dir, "store")}`;
  const functions = where === "elsewhere" &&
    await start("functions/serve.ts", { args: [store], env, dir });
  if (functions) cleanup.defer(() => functions.process.stop());
  const relay = await start("cli/start.ts", {
    args: [
      `--kubeconfig=${sandbox.kubeconfigPath}`,
      "--scheduler-name=default-scheduler",
      functions ? `--functions-url=${functions.url}` : store,
    ],
    env,
    dir,
  });
  cleanup.defer(() => relay.process.stop());
  await sandbox.startScheduler({ extenderUrl: `${relay.url}/extender` });
  cleanup.defer(() => sandbox.stopScheduler());
  const gang = { name: "gang", minAvailable: 2 };
  const bound = Promise.withResolvers<void>();
  sandbox.server.store.subscribe(() => {
    if (sandbox.pods().filter(({ spec }) => spec.nodeName).length === 2) bound.resolve();
  });
  for (const name of ["gang-0", "gang-1"]) await sandbox.createPod(podOf(name, { gpus: 1, gang }));
  await bound.promise;
  await sandbox.stopScheduler();
  // What is not exported yet is exported when a process ends.
  await relay.process.stop();
  if (functions) await functions.process.stop();
  return collector;
}

for (const where of ["in-process", "elsewhere"] as const) {
  // The processes' output and the Kubernetes client outlive single operations.
  const sanitizers = { sanitizeOps: false, sanitizeResources: false };
  Deno.test(
    `traces: from the scheduler's bind call to the store's write and the binding, with functions ${where}`,
    sanitizers,
    async () => {
      const collector = await tracesOf(where);
      const isBindCall = (span: Span) =>
        span.attributes?.some(({ value }) => value.stringValue?.includes("/extender/bind")) ===
          true;
      const binds = collector.spans.filter(isBindCall);
      assertEquals(binds.length, 2);
      const writes = collector.spans.filter(({ name }) => name === "GangObject.permit");
      const last = writes.find(({ traceId }) => binds.some((bind) => bind.traceId === traceId));
      assert(last, `no write belongs to a bind call: ${JSON.stringify(collector.spans)}`);
      const path = collector.pathOf(last);
      const hops = where === "elsewhere" ? ["POST", "POST"] : [];
      assertEquals(path, ["POST", "permit", ...hops, "GangObject.permit"]);
      const bindings = collector.spans.filter(({ attributes }) =>
        attributes?.some(({ value }) => value.stringValue?.endsWith("/binding"))
      );
      assertEquals(
        bindings.map(({ traceId }) => traceId).sort(),
        binds.map(({ traceId }) => traceId).sort(),
      );
    },
  );
}
