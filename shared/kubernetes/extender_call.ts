/**
 * Reads what comes as a call of kube-scheduler's: only as far as it is used, and only up to the first thing that is wrong,
 * for `filter` is called for each pod with the names of all nodes.
 *
 * @module
 */
import type { ExtenderArgs, ExtenderBindingArgs, ExtenderPreemptionArgs } from "./extender.ts";
import { isNamespaceName, isObjectName } from "./object_name.ts";
import type { Pod } from "./types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** More than any cluster has; each is answered by a sentence. */
const mostNodes = 100_000;
const longestUid = 253;

/** Reads the body of `filter`; throws a `TypeError` that says what is wrong. */
export function filterCall(body: unknown): ExtenderArgs {
  const { Pod, NodeNames } = fieldsOf(body, "the body");
  const pod = podOf(Pod);
  if (NodeNames == null) return { Pod: pod };
  const isList = Array.isArray(NodeNames) && NodeNames.length <= mostNodes &&
    NodeNames.every((name) => typeof name === "string");
  must(isList, `"NodeNames" must be a list of at most ${mostNodes} texts`);
  return { Pod: pod, NodeNames };
}

/** Reads the body of `preempt`; throws a `TypeError` that says what is wrong. */
export function preemptCall(body: unknown): ExtenderPreemptionArgs {
  const { Pod, NodeNameToMetaVictims: victims } = fieldsOf(body, "the body");
  const pod = podOf(Pod);
  if (victims == null) return { Pod: pod };
  for (const ofNode of Object.values(fieldsOf(victims, '"NodeNameToMetaVictims"'))) {
    const { Pods, NumPDBViolations } = fieldsOf(ofNode, '"NodeNameToMetaVictims" of each node');
    must(
      Pods == null || (Array.isArray(Pods) && Pods.every(hasUid)),
      '"NodeNameToMetaVictims" must have "Pods" with a "UID" each',
    );
    must(
      NumPDBViolations == null || typeof NumPDBViolations === "number",
      '"NumPDBViolations" must be a number',
    );
  }
  return { Pod: pod, NodeNameToMetaVictims: victims as NonNullable<Victims> };
}

type Victims = ExtenderPreemptionArgs["NodeNameToMetaVictims"];

/** Reads the body of `bind`; throws a `TypeError` that says what is wrong. */
export function bindCall(body: unknown): ExtenderBindingArgs {
  const { PodName, PodNamespace, PodUID, Node } = fieldsOf(body, "the body");
  mustBeName(isObjectName(PodName), "PodName");
  mustBeName(isNamespaceName(PodNamespace), "PodNamespace");
  must(isUid(PodUID), '"PodUID" must be a UID');
  mustBeName(isObjectName(Node), "Node");
  return { PodName, PodNamespace, PodUID, Node } as ExtenderBindingArgs;
}

function podOf(value: unknown): Pod {
  const { metadata, spec } = fieldsOf(value, '"Pod"');
  const { name, namespace, uid, labels, annotations } = fieldsOf(metadata, '"Pod.metadata"');
  mustBeName(isObjectName(name), "Pod.metadata.name");
  mustBeName(isNamespaceName(namespace), "Pod.metadata.namespace");
  must(isUid(uid), '"Pod.metadata.uid" must be a UID');
  mustBeTexts(labels, '"Pod.metadata.labels"');
  mustBeTexts(annotations, '"Pod.metadata.annotations"');
  const { schedulingGroup } = fieldsOf(spec, '"Pod.spec"');
  if (schedulingGroup != null) {
    const { podGroupName } = fieldsOf(schedulingGroup, '"Pod.spec.schedulingGroup"');
    must(
      podGroupName == null || typeof podGroupName === "string",
      '"Pod.spec.schedulingGroup.podGroupName" must be a text',
    );
  }
  return value as Pod;
}

function mustBeTexts(value: unknown, what: string): void {
  if (value == null) return;
  const fields = fieldsOf(value, what);
  for (const key in fields) must(typeof fields[key] === "string", `${what} must hold texts only`);
}

function fieldsOf(value: unknown, what: string): Fields {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  must(isObject, `${what} must be an object`);
  return value as Fields;
}

function hasUid(pod: unknown): boolean {
  return typeof pod === "object" && pod !== null && isUid((pod as Fields)["UID"]);
}

function isUid(value: unknown): boolean {
  return typeof value === "string" && value !== "" && value.length <= longestUid;
}

function mustBeName(isName: boolean, field: string): void {
  must(isName, `"${field}" must be a name that Kubernetes allows`);
}

function must(holds: boolean, message: string): asserts holds {
  if (!holds) throw new TypeError(message);
}
