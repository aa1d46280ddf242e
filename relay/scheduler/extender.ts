/**
 * The scheduler's side of the relay: the extender verbs, and what operators look at.
 *
 * @module
 */
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { times } from "../../shared/core/attend/times.ts";
import { marked } from "../../shared/core/words/mark.ts";
import { whyNotBound } from "../../shared/kubernetes/bindable.ts";
import {
  type ExtenderArgs,
  type ExtenderBindingArgs,
  type ExtenderBindingResult,
  type ExtenderFilterResult,
  type ExtenderPreemptionArgs,
  refusing,
} from "../../shared/kubernetes/extender.ts";
import { bindCall, filterCall, preemptCall } from "../../shared/kubernetes/extender_call.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import type { BoundPod } from "../../shared/kubernetes/writes.ts";
import type { Cluster } from "../../shared/cluster/cluster.ts";
import { gangOf, type PodRecord } from "../../shared/cluster/pod_record.ts";
import type { Holds } from "../run/holds.ts";
import type { KubeApi } from "../../shared/client/kube_api.ts";
import type { Metrics } from "../report/metrics.ts";
import { within } from "../../shared/client/pause.ts";
import type { Reconciler } from "../run/reconciler.ts";
import { schedulerCalls } from "./scheduler_calls.ts";
import type { TimeLimit } from "../../shared/http/time_limit.ts";
import { placeNow } from "../../shared/client/trace_place.ts";

/** What the extender works with. */
export interface ExtenderParts {
  readonly api: KubeApi;
  readonly cluster: Cluster;
  readonly holds: Holds;
  readonly reconciler: Reconciler;
  readonly metrics: Metrics;
  /** Writes a binding. */
  readonly bind: (pod: BoundPod) => Promise<void>;
  /** Names that the scheduler beside the relay answers to: no other's pods are bound. */
  readonly schedulerNames: readonly string[];
  /** Told of every call of the scheduler. */
  readonly called: () => void;
  /** Its body comes within this time; by default one that keeps no timer. */
  readonly bodyWithin?: TimeLimit;
}

const needsNodeNames =
  'the scheduler sends no NodeNames: set "nodeCacheCapable: true" for this extender in its configuration';

/** `/extender/{filter,preempt,bind}`, `/healthz`, `/readyz`, `/metrics`. */
export function extenderApp(parts: ExtenderParts): Hono {
  const app = new Hono();
  const calls = schedulerCalls(parts.called, parts.bodyWithin);
  app.post("/extender/filter", calls(filterCall, (args) => filter(args, parts)));
  app.post(
    "/extender/preempt",
    calls(preemptCall, async (args) => {
      await untilJudged(args.Pod, parts);
      await untilSettled(args, parts);
      const result = parts.reconciler.preempt(args);
      const isEmpty = Object.keys(result.NodeNameToMetaVictims).length === 0;
      parts.metrics.calls.inc({ verb: "preempt", outcome: isEmpty ? "refuse" : "pass" });
      return result;
    }),
  );
  app.post(
    "/extender/bind",
    calls(bindCall, async (args, c): Promise<ExtenderBindingResult> => {
      const { outcome, error } = await bind(args, c.req.raw.signal, parts)
        .catch(({ message }): Bound => ({ outcome: "failed", error: marked(message) }));
      parts.metrics.calls.inc({ verb: "bind", outcome });
      return error === undefined ? {} : { Error: error };
    }),
  );
  app.get("/healthz", (c) => c.text("ok"));
  app.get("/readyz", (c) => {
    const reason = parts.reconciler.attendant.outage;
    return reason ? c.text(reason, 503) : c.text("ok");
  });
  app.get(
    "/metrics",
    async (c) =>
      c.text(await parts.metrics.registry.metrics(), 200, {
        "content-type": parts.metrics.registry.contentType,
      }),
  );
  app.notFound((c) =>
    c.json({ Error: marked(`nothing answers ${c.req.method} "${c.req.path}"`) }, 404)
  );
  app.onError((error, c) => {
    const status = error instanceof HTTPException ? error.status : 500;
    return c.json({ Error: marked(`cannot take the call: ${error.message}`) }, status);
  });
  return app;
}

/** Answers from the verdict that is there; of one that is about to be, only where nobody else could be placed meanwhile. */
async function filter(
  args: ExtenderArgs,
  { reconciler, metrics }: ExtenderParts,
): Promise<ExtenderFilterResult> {
  const nodes = args.NodeNames;
  // The pod shows this as its reason to wait; an HTTP error it would not show.
  if (!nodes) return { NodeNames: [], Error: marked(needsNodeNames) };
  const gang = gangOf(args.Pod);
  const answer = gang === undefined
    ? { nodes }
    : await reconciler.filter(args.Pod, { gang, nodes });
  const { sentence } = answer;
  metrics.calls.inc({ verb: "filter", outcome: sentence ? "refuse" : "pass" });
  return sentence ? refusing(args, sentence) : { NodeNames: answer.nodes };
}

/**
 * A member that finds no room is asked about here, before `filter`, perhaps just after it came. It is not refused for a verdict
 * that is still on its way: to wake it takes longer, because the scheduler lets it sit out its back-off.
 */
async function untilJudged(pod: Pod, { reconciler }: ExtenderParts): Promise<void> {
  const gang = gangOf(pod);
  if (gang === undefined) return;
  await reconciler.whenSeen(pod.metadata.uid, times.judged);
  await reconciler.whenJudged(gang, times.judged);
}

/** A binding that is being written can not be taken back, nor an eviction: who wants that room hears of pods as they are. */
async function untilSettled(
  { Pod: { metadata: { uid } }, NodeNameToMetaVictims }: ExtenderPreemptionArgs,
  { holds, reconciler }: ExtenderParts,
): Promise<void> {
  const victims = Object.values(NodeNameToMetaVictims ?? {}).flatMap(({ Pods }) => Pods ?? []);
  await within(
    times.bindingsWritten,
    Promise.all(victims.map(({ UID }) => holds.whenWritten(UID))),
  );
  await Promise.all(victims.map(({ UID }) => reconciler.whenLeft(UID, uid)));
}

/** What became of a bind call; the error is the scheduler's to hear. */
interface Bound {
  readonly outcome: "regular" | "bound" | "rejected" | "failed";
  readonly error?: string;
}

/** Binds a regular pod at once; keeps the call of a gang member open until a decision names it. */
async function bind(
  args: ExtenderBindingArgs,
  signal: AbortSignal,
  parts: ExtenderParts,
): Promise<Bound> {
  const { cluster, holds, reconciler } = parts;
  const pod = {
    namespace: args.PodNamespace,
    name: args.PodName,
    uid: args.PodUID,
    node: args.Node,
  };
  const record = cluster.pods.get(pod.uid);
  const found = await mustBeBound(args, record, parts);
  if (gangOf(found) === undefined) {
    mustBeOpen(signal);
    // Its scheduler may not have heard of an earlier call's success.
    if (record?.node !== pod.node) await parts.bind(pod);
    if (record) cluster.podBound(record, pod.node);
    return { outcome: "regular" };
  }
  const member = record ?? await reconciler.whenSeen(pod.uid, times.seen);
  if (!member) throw new Error("the relay has not seen this pod yet");
  // Of a scheduler that has gone: what becomes of its binding becomes of this one, and nothing takes that back.
  await holds.whenWritten(pod.uid);
  mustBeOpen(signal);
  await mustBeBound(args, member, parts);
  const error = await hold(pod, member, { signal, parts });
  return error ? { outcome: "rejected", error } : { outcome: "bound" };
}

/** The pod of a call, which is one to bind; asks the API server about one that the watch has not shown yet. */
async function mustBeBound(
  args: ExtenderBindingArgs,
  record: PodRecord | undefined,
  { api, schedulerNames }: ExtenderParts,
): Promise<Pod> {
  const pod = record?.pod ?? await api.pod(args.PodNamespace, args.PodName);
  const node = record ? record.node : pod?.spec.nodeName;
  const refusal = whyNotBound(args, { pod, node, schedulerNames });
  if (refusal !== undefined) throw new Error(refusal);
  return pod!;
}

/** Nobody waits for a call that was dropped while its pod was looked for: its place may be another's by now. */
function mustBeOpen(signal: AbortSignal): void {
  if (signal.aborted) throw new Error("the scheduler dropped the call");
}

/** The error to answer with, or undefined when the pod is bound. */
function hold(
  pod: BoundPod,
  record: PodRecord,
  { signal, parts }: { signal: AbortSignal; parts: ExtenderParts },
): Promise<string | undefined> {
  const { holds, reconciler } = parts;
  return new Promise((answer) => {
    const opened = {
      call: {
        id: holds.nextId(),
        pod,
        gang: record.gang!,
        openedAt: Date.now(),
        isGranted: false,
      },
      record,
      trace: placeNow(),
      answer,
    };
    const refusal = reconciler.refusesBind(record, pod.node);
    if (refusal) return answer(refusal);
    holds.open(opened);
    signal.addEventListener("abort", () => reconciler.dropped(opened));
    reconciler.opened(opened);
  });
}
