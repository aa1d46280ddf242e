/**
 * Clusters and jobs as YAML, and what `simulate` says of them.
 *
 * @module
 */
import { noObjects, readManifests } from "../../cli/muster/simulation/manifests.ts";
import { simulate } from "../../cli/muster/simulation/simulation.ts";
import type { Verdict } from "../../cli/muster/simulation/verdict.ts";
import { withManifests, withNodes } from "../../cli/muster/simulation/what_if.ts";
import { backfillOf } from "../../shared/core/gang/backfill.ts";
import { profiles } from "../../shared/core/gang/settings.ts";
import { at, now } from "./facts.ts";

interface WhatIf {
  count: number;
  like: string;
}

/** Verdicts about manifests on the nodes, and the pods on them, of other manifests. */
export function verdictsOf(
  manifests: string,
  { nodes, add, backfill = "timed", schedulerNames = ["muster"] }: {
    nodes: string;
    add?: WhatIf;
    backfill?: string;
    schedulerNames?: string[];
  },
): Verdict[] {
  const read = (text: string, exist = false) =>
    readManifests([{ name: "f.yaml", text }], { namespace: "default", now: at(0), exist });
  const known = withManifests(noObjects(), read(nodes, true));
  const objects = withManifests(add ? withNodes(known, add) : known, read(manifests));
  const options = {
    settings: profiles.default,
    now,
    backfill: backfillOf(backfill)!,
    schedulerNames,
  };
  return simulate(objects, options);
}

/** A node with so many GPUs. */
export function node(name: string, gpus: number, more = "", rack = "none"): string {
  return `
---
kind: Node
metadata: { name: ${name}, labels: { kubernetes.io/hostname: ${name}, rack: ${rack} } }
spec: { ${more} }
status: { allocatable: { cpu: "8", memory: 32Gi, pods: "20", nvidia.com/gpu: "${gpus}" } }`;
}

interface JobParts {
  size: number;
  minMember?: number;
  gpus?: number;
  spec?: string;
  annotations?: string;
}

/** A Job whose pods are a gang. */
export function job(
  name: string,
  { size, minMember = size, gpus = 1, spec = "", annotations = "" }: JobParts,
): string {
  return `
---
kind: Job
metadata: { name: ${name} }
spec:
  parallelism: ${size}
  template:
    metadata:
      labels: { pod-group/name: ${name}, pod-group/min-available: "${minMember}" }
      annotations: { ${annotations} }
    spec:
      containers: [{ name: m, resources: { limits: { nvidia.com/gpu: "${gpus}" } } }]
      ${spec}`;
}

/** `<order or -> <title>`. */
export function summary(verdicts: readonly Verdict[]): string[] {
  return verdicts.map(({ order, title }) => `${order ?? "-"} ${title}`);
}

/** Two nodes of two GPUs each. */
export const two = node("a", 2) + node("b", 2);
