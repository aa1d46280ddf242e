/**
 * The scheduler's side of the relay: the extender verbs, and what operators look at.
 *
 * @module
 */
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { gangId, type PodRef } from "../shared/core/facts.ts";
import { membershipOf } from "../shared/kubernetes/dialect.ts";
import type {
  ExtenderArgs,
  ExtenderBindingArgs,
  ExtenderBindingResult,
  ExtenderFilterResult,
  ExtenderPreemptionArgs,
} from "../shared/kubernetes/extender.ts";
import type { Pod } from "../shared/kubernetes/types.ts";
import type { Cluster } from "./cluster.ts";
import type { PodRecord } from "./pod_record.ts";
import type { Holds } from "./holds.ts";
import type { KubeApi } from "./kube_api.ts";
import type { Metrics } from "./metrics.ts";
import { preempt } from "./preemption.ts";
import type { Reconciler } from "./reconciler.ts";
import { refuse } from "./refusal.ts";
import { told } from "./sentence.ts";
import { placeNow } from "./trace.ts";

/** What the extender works with. */
export interface ExtenderWorld {
  readonly api: KubeApi;
  readonly cluster: Cluster;
  readonly holds: Holds;
  readonly reconciler: Reconciler;
  readonly metrics: Metrics;
  /** Writes a binding. */
  readonly bind: (pod: PodRef & { node: string }) => Promise<void>;
  /** Told of every call of the scheduler. */
  readonly called: () => void;
  /** Why the relay can not serve yet; undefined when it can. */
  readonly notReady: () => string | undefined;
}

/** A pod's largest size, and victims on every node of the largest cluster, fit many times. */
const maxBodyBytes = 32 * 1024 * 1024;

const needsNodeNames =
  'the scheduler sends no NodeNames: set "nodeCacheCapable: true" for this extender in its configuration';

/** How long a bind call waits for its pod to be seen by the watch. */
const seenWithinMs = 5000;
/** How long a preempt call waits for its pod to be seen, and for the verdict after that: together less than its timeout. */
const judgedWithinMs = 2000;

/** `/extender/{filter,preempt,bind}`, `/healthz`, `/readyz`, `/metrics`. */
export function extenderApp(world: ExtenderWorld): Hono {
  const app = new Hono();
  app.post("/extender/filter", async (c) => {
    world.called();
    const args = await argsOf<ExtenderArgs>(c);
    mustHavePod(args);
    return c.json(filter(args, world));
  });
  app.post("/extender/preempt", async (c) => {
    world.called();
    const args = await argsOf<ExtenderPreemptionArgs>(c);
    mustHavePod(args);
    await untilJudged(args.Pod, world);
    const result = preempt(args, world);
    world.metrics.called(
      "preempt",
      Object.keys(result.NodeNameToMetaVictims).length > 0 ? "pass" : "refuse",
    );
    return c.json(result);
  });
  app.post("/extender/bind", async (c) => {
    world.called();
    const args = await argsOf<ExtenderBindingArgs>(c);
    mustHave(args, ["PodName", "PodNamespace", "PodUID", "Node"]);
    return c.json(await bind(args, c.req.raw.signal, world));
  });
  app.get("/healthz", (c) => c.text("ok"));
  app.get("/readyz", (c) => {
    const reason = world.notReady();
    return reason ? c.text(reason, 503) : c.text("ok");
  });
  app.get(
    "/metrics",
    async (c) =>
      c.text(await world.metrics.registry.metrics(), 200, {
        "content-type": world.metrics.registry.contentType,
      }),
  );
  app.notFound((c) =>
    c.json({ Error: told(`nothing answers ${c.req.method} "${c.req.path}"`) }, 404)
  );
  app.onError((error, c) => {
    const callers = error instanceof SyntaxError ? 400 : undefined;
    const status = error instanceof HTTPException ? error.status : callers;
    return c.json({ Error: told(`cannot read the call: ${error.message}`) }, status ?? 500);
  });
  return app;
}

function refuseLarge(): never {
  throw new HTTPException(413, { message: `its body is larger than ${maxBodyBytes} bytes` });
}

const countBody = bodyLimit({ maxSize: maxBodyBytes, onError: refuseLarge });

/** A call's body. What comes in is counted only where its length is not declared; a scheduler declares it. */
async function argsOf<Args>(c: Context): Promise<Args> {
  const length = c.req.header("content-length");
  if (length === undefined) await countBody(c, () => Promise.resolve());
  else if (Number(length) > maxBodyBytes) refuseLarge();
  return await c.req.raw.json();
}

function mustHavePod(args: { readonly Pod: Pod }): void {
  mustHave(args, ["Pod"]);
  mustHave(args.Pod, ["metadata"]);
}

/** Whoever calls with less than this is no scheduler. */
function mustHave<Args extends object>(args: Args, fields: readonly (keyof Args & string)[]): void {
  const missing = fields.filter((field) => args?.[field] == null);
  if (missing.length > 0) {
    throw new HTTPException(400, { message: `it has no "${missing.join('", "')}"` });
  }
}

/** Answers from the verdict that is there: never waits. */
function filter(args: ExtenderArgs, { reconciler, metrics }: ExtenderWorld): ExtenderFilterResult {
  const nodes = args.NodeNames;
  // The pod shows this as its reason to wait; an HTTP error it would not show.
  if (!nodes) return { NodeNames: [], Error: told(needsNodeNames) };
  const sentence = refuse(args.Pod, reconciler);
  metrics.called("filter", sentence ? "refuse" : "pass");
  if (!sentence) {
    const membership = membershipOf(args.Pod);
    const { uid } = args.Pod.metadata;
    if (!membership) return { NodeNames: nodes };
    return { NodeNames: reconciler.letThrough({ uid, gang: gangId(membership) }, nodes) };
  }
  return {
    NodeNames: [],
    FailedAndUnresolvableNodes: Object.fromEntries(nodes.map((node) => [node, sentence])),
  };
}

/**
 * A member that finds no room is asked about here, before `filter`, perhaps just after it came. It is not refused for a verdict
 * that is still on its way: the scheduler wakes it neither for a changed annotation nor for siblings.
 */
async function untilJudged(pod: Pod, { cluster, reconciler }: ExtenderWorld): Promise<void> {
  const membership = membershipOf(pod);
  if (!membership) return;
  await cluster.whenSeen(pod.metadata.uid, judgedWithinMs).catch(() => {});
  await reconciler.groupOf(gangId(membership))?.whenJudged(judgedWithinMs);
}

/** Binds a regular pod at once; keeps the call of a gang member open until a decision names it. */
async function bind(
  args: ExtenderBindingArgs,
  signal: AbortSignal,
  world: ExtenderWorld,
): Promise<ExtenderBindingResult> {
  const { cluster, metrics } = world;
  const pod = {
    namespace: args.PodNamespace,
    name: args.PodName,
    uid: args.PodUID,
    node: args.Node,
  };
  try {
    const record = cluster.pods.get(pod.uid);
    if (record ? record.gang === undefined : await isRegular(pod, world)) {
      mustBeOpen(signal);
      // Its scheduler may not have heard of an earlier call's success.
      if (record?.node !== pod.node) await world.bind(pod);
      if (record) cluster.podBound(record, pod.node);
      metrics.called("bind", "regular");
      return {};
    }
    const member = record ?? await cluster.whenSeen(pod.uid, seenWithinMs);
    // Of a scheduler that has gone: what becomes of its binding becomes of this one, and nothing takes that back.
    await world.holds.whenWritten(pod.uid);
    mustBeOpen(signal);
    const error = await hold(pod, member, { signal, world });
    metrics.called("bind", error ? "rejected" : "bound");
    return error ? { Error: error } : {};
  } catch (error) {
    metrics.called("bind", "failed");
    return { Error: told((error as Error).message) };
  }
}

/** Nobody waits for a call that was dropped while its pod was looked for: its place may be another's by now. */
function mustBeOpen(signal: AbortSignal): void {
  if (signal.aborted) throw new Error("the scheduler dropped the call");
}

/** Asks the API server about a pod that the watch has not shown yet. */
async function isRegular(
  { namespace, name, uid }: PodRef,
  { api }: ExtenderWorld,
): Promise<boolean> {
  const pod = await api.pod(namespace, name);
  if (pod?.metadata.uid !== uid) throw new Error(`pod ${namespace}/${name} is gone`);
  return membershipOf(pod) === undefined;
}

/** The error to answer with, or undefined when the pod is bound. */
function hold(
  pod: PodRef & { node: string },
  record: PodRecord,
  { signal, world }: { signal: AbortSignal; world: ExtenderWorld },
): Promise<string | undefined> {
  const { holds, reconciler } = world;
  return new Promise((answer) => {
    const opened = {
      record,
      pod,
      openedAt: Date.now(),
      trace: placeNow(),
      isGranted: false,
      answer,
    };
    const refusal = reconciler.refusesBind(record);
    if (refusal) return answer(refusal);
    holds.open(opened);
    signal.addEventListener("abort", () => reconciler.dropped(opened));
    reconciler.opened(opened);
  });
}
