/**
 * The relay: beside the scheduler in the cluster, it carries facts to the policy functions and carries out their decisions.
 *
 * @module
 */
import type { Hono } from "hono";
import type { Registry } from "prom-client";
import type { Stages } from "../functions/stages.ts";
import { Binder } from "../shared/client/binder.ts";
import { Circuit } from "../shared/client/circuit.ts";
import type { Connection } from "../shared/client/connection.ts";
import type { Fetch } from "../shared/client/fetch.ts";
import { IndexWatch } from "../shared/client/index_watch.ts";
import { KubeApi } from "../shared/client/kube_api.ts";
import type { Log } from "../shared/client/log.ts";
import { patiently } from "../shared/client/patiently.ts";
import { within } from "../shared/client/pause.ts";
import { ServedKinds } from "../shared/client/served_kinds.ts";
import { type Away, untilAnswered } from "../shared/client/until_answered.ts";
import { Watcher } from "../shared/client/watcher.ts";
import { Cluster, type ClusterOptions } from "../shared/cluster/cluster.ts";
import { GangClock } from "../shared/cluster/gang_clock.ts";
import { kindsHeardBy } from "../shared/cluster/heard_kinds.ts";
import { type PolicyFacts, policyFacts } from "../shared/cluster/policy_facts.ts";
import { Shown } from "../shared/cluster/shown.ts";
import { waitingGangs } from "../shared/cluster/waiting.ts";
import type { Decisions } from "../shared/core/attend/decisions.ts";
import { verdictOn } from "../shared/core/attend/gang_verdict.ts";
import { times } from "../shared/core/attend/times.ts";
import type { Backfill } from "../shared/core/gang/backfill.ts";
import { bodyWithinMs } from "../shared/http/request_body.ts";
import { TimeLimit } from "../shared/http/time_limit.ts";
import { podSubject } from "../shared/kubernetes/subject.ts";
import type { Node, Pod } from "../shared/kubernetes/types.ts";
import type { BoundPod } from "../shared/kubernetes/writes.ts";
import { Events } from "./kube/events.ts";
import { Leadership, type LeaseOptions } from "./kube/leadership.ts";
import { PolicyClient } from "./policy/policy_client.ts";
import { Metrics } from "./report/metrics.ts";
import { PodGroupStatuses } from "./report/pod_group_statuses.ts";
import { Warnings } from "./report/warnings.ts";
import { Holds } from "./run/holds.ts";
import { Reconciler } from "./run/reconciler.ts";
import { extenderApp } from "./scheduler/extender.ts";

/** What a relay needs. */
export interface RelayOptions extends Required<Omit<ClusterOptions, "clock">> {
  readonly connection: Connection;
  /** `fetch` with the TLS settings of the connection. */
  readonly fetch: Fetch;
  /** The same over a connection of its own for each call, until its signal is aborted: no watch takes one that is dead. */
  readonly watchFetch: Fetch;
  /** The API server is away when the relay starts. */
  readonly away: Away;
  /** Where the functions are, for messages. */
  readonly functionsUrl: string;
  /** The functions, asked for that cluster; what stages elsewhere need to know of it; and where what is counted of them goes. */
  readonly stages: (cluster: string, about: { facts: PolicyFacts; registry: Registry }) => Stages;
  readonly log: Log;
  /** What is decided about gang groups, of that cluster. */
  readonly decisions: (cluster: string) => Decisions;
  /** Longest time that a bind call may be held, in seconds: less than the extender's httpTimeout. */
  readonly longestHoldSeconds: number;
  /** The lease of the schedulers, where there are several; absent: the scheduler beside this relay is the only one. */
  readonly lease?: LeaseOptions | undefined;
  /** How room is kept for gangs that wait. */
  readonly backfill: Backfill;
  /** Pods are evicted for whole gangs; otherwise the scheduler evicts, for one member after another. */
  readonly evicts: boolean;
}

/** A running relay. */
export interface Relay {
  /** Serves the extender; listen with it. */
  readonly app: Hono;
  /** The cluster's name to the functions: the UID of its namespace kube-system. */
  readonly cluster: string;
  /** Finishes granted bindings, lets every other call go, and ends the watches. */
  stop(): Promise<void>;
}

/** Starts a relay; resolves when it knows the whole cluster, also if that is away at first. */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  const { lease, schedulerNames } = options;
  const api = new KubeApi(options.connection, options.fetch);
  const { uid } = await untilAnswered(() => api.namespace("kube-system"), options.away);
  const parts = assemble(uid, { api, options });
  const { attendant } = parts.reconciler;
  const watches = watchesOf(parts, { api, options });
  // Nothing is written before all is known, and who leads.
  attendant.lead(false);
  for (const watch of watches) await watch.start();
  const led = [attendant, parts.indexWatch, parts.statuses, parts.warnings];
  const lead = (isLeading: boolean) => led.forEach((part) => part.lead(isLeading));
  const leadership = lease && new Leadership(api, {
    lease,
    failed: parts.metrics.watch(`lease ${lease.namespace}/${lease.name}`).failed,
    changed: lead,
  });
  if (leadership) await leadership.start();
  else lead(true);
  const bodyWithin = new TimeLimit(bodyWithinMs, { isKept: true });
  const called = () => leadership?.called();
  return {
    app: extenderApp({ ...parts, api, bodyWithin, called, schedulerNames }),
    cluster: uid,
    stop: async () => {
      for (const part of [...led, ...watches, leadership]) part?.stop();
      bodyWithin.stop();
      await within(times.drained, parts.binder.settled());
    },
  };
}

/** The parts of a cluster's relay, which hear of each other from the first change on. */
function assemble(uid: string, { api, options }: { api: KubeApi; options: RelayOptions }) {
  const { log, schedulerNames } = options;
  // What is written about pods may take long, and keeps no binding waiting.
  const writer = new KubeApi(options.connection, options.fetch);
  const metrics = new Metrics({
    log,
    held: () => holds.size,
    heldGangs: () => holds.gangs().size,
    waiting: () => waitingGangs(reconciler.groups),
    isLeading: () => reconciler.attendant.isLeading,
  });
  const events = new Events(writer, (error) => metrics.writeFailed("an event", error));
  const cluster = new Cluster({
    podChanged: (change) => {
      reconciler.podChanged(change);
      warnings.podChanged(change);
      statuses.gangChanged(change.record.gang);
    },
    podGroupChanged: (gang) => {
      reconciler.podGroupChanged(gang);
      statuses.gangChanged(gang);
    },
    roomChanged: () => reconciler.attendant.planLoop.soon(),
  }, options);
  const warnings = new Warnings(
    cluster.pods,
    ({ about, ...words }) => events.say(about, { type: "Warning", ...words }),
  );
  const holds: Holds = new Holds(cluster);
  const binder = new Binder(api);
  const bind = (pod: BoundPod) => binder.bind(pod);
  const groupOf = (gang: string) => reconciler.groupOf(gang);
  const shown = new Shown({ cluster, holds, groupOf, groups: () => reconciler.groups });
  const stages = options.stages(uid, {
    facts: policyFacts(cluster, { holds, groupOf }),
    registry: metrics.registry,
  });
  const clock = new GangClock();
  const reconciler: Reconciler = new Reconciler({
    relayId: crypto.randomUUID(),
    decisions: options.decisions(uid),
    cluster,
    holds,
    metrics,
    bind,
    circuit: new Circuit({ log, failures: metrics.functionFailures }),
    policy: new PolicyClient({
      url: options.functionsUrl,
      stages,
      shown: ({ gangs }) => shown.of(gangs, Date.now()),
      learnt: (group, runTimes) => reconciler.learnt(group, runTimes),
    }),
    looked: (group, snapshot) => {
      warnings.looked(group, snapshot);
      for (const { id } of group.gangs) statuses.gangChanged(id);
      const took = snapshot ? clock.look(group, snapshot, Date.now()) : [];
      for (const ms of took) metrics.gangBindSeconds.observe(ms / 1000);
    },
    longestHoldMs: options.longestHoldSeconds * 1000,
    backfill: options.backfill,
    write: (write) => patiently(() => writer.write(write)),
    say: (pod, words) => events.say(podSubject(pod), words),
    evicts: options.evicts,
  });
  const statuses = new PodGroupStatuses({
    api: writer,
    cluster,
    schedulerNames,
    verdictOf: (gang) => verdictOn(groupOf(gang)?.attended, gang),
    failed: (of, error) => metrics.writeFailed(`the status of ${of}`, error),
  });
  const indexWatch = new IndexWatch(stages, () => reconciler.attendant.tellAgain());
  return { bind, binder, cluster, holds, indexWatch, metrics, reconciler, statuses, warnings };
}

/** What a cluster is known by, in the order in which it is listed: pods last, so that what declares their gangs is known. */
function watchesOf(
  { cluster, metrics, statuses }: ReturnType<typeof assemble>,
  { api, options }: { api: KubeApi; options: RelayOptions },
) {
  const client = { api, watchApi: new KubeApi(options.connection, options.watchFetch) };
  const nodes = new Watcher<Node>("/api/v1/nodes", client, {
    changed: (node) => cluster.room.nodeChanged(node),
    deleted: (node) => cluster.room.nodeDeleted(node),
    ...metrics.watch("nodes"),
  });
  const served = new ServedKinds(client, {
    kinds: kindsHeardBy(cluster, [statuses]),
    reports: (kind) => metrics.watch(kind),
  });
  const pods = new Watcher<Pod>("/api/v1/pods", client, {
    changed: (pod) => cluster.podChanged(pod),
    deleted: (pod) => cluster.podDeleted(pod),
    ...metrics.watch("pods"),
  });
  return [nodes, served, pods];
}
