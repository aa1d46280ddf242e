import { stringify } from "yaml";
import type { ApiClient, KubernetesObject } from "../control_plane/api_client.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { applyManifests, pathOf } from "../control_plane/manifests.ts";
import { type DescribedPod, describePod } from "../sandbox/describe_pod.ts";

const pods = "/api/v1/namespaces/default/pods";
const podGroups = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups";

type Pod = KubernetesObject & DescribedPod;

/** Builds may run beside it on the same machine, and operators pause before they try again. */
const patienceMs = 120_000;

/** What a {@linkcode Scene} is made of. */
export interface SceneParts {
  controlPlane: ControlPlane;
  /** What docs/operators.md shows. */
  manifests: readonly KubernetesObject[];
  tell: (line: string) => void;
}

/** A cluster with Muster and one operator, on which its story is told in namespace `default`. */
export class Scene {
  readonly api: ApiClient;
  readonly #parts: SceneParts;
  #nodes = 0;

  constructor(parts: SceneParts) {
    this.api = parts.controlPlane.api;
    this.#parts = parts;
  }

  /** Says what happens. */
  tell(line: string): void {
    this.#parts.tell(line);
  }

  /** Adds a node that lacks nothing but GPUs; resolves when it is ready. */
  async addNode({ gpus }: { gpus: number }): Promise<void> {
    const name = `node-${++this.#nodes}`;
    await this.#parts.controlPlane.addNode(name, { gpus, cpus: 32, memory: "64Gi" });
    this.tell(`${name} is ready, with ${gpus} GPUs`);
  }

  /** Applies the documented manifest of this name. */
  async apply(name: string): Promise<void> {
    const object = this.#manifest(name);
    await applyManifests(this.api, stringify(object));
    this.tell(`${object.kind} ${name} is applied`);
  }

  /** Applies a manifest again, with a change that lasts; `what` completes "TFJob x has …". */
  async change(
    name: string,
    what: string,
    edit: (object: KubernetesObject) => void,
  ): Promise<void> {
    const object = this.#manifest(name);
    edit(object);
    await applyManifests(this.api, stringify(object));
    this.tell(`${object.kind} ${name} now has ${what}`);
  }

  /** Applies a manifest with a change that its operator refuses; throws where it does not. */
  async changeInVain(
    name: string,
    what: string,
    edit: (object: KubernetesObject) => void,
  ): Promise<void> {
    const object = structuredClone(this.#manifest(name));
    edit(object);
    const refusal = await applyManifests(this.api, stringify(object)).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (refusal === undefined) throw new Error(`${object.kind} ${name} may have ${what}`);
    this.tell(`${object.kind} ${name} cannot have ${what}`);
  }

  /** What has become of what a manifest made. */
  async get(name: string): Promise<KubernetesObject> {
    return await this.api.get(await pathOf(this.api, this.#manifest(name)));
  }

  /** Deletes what a manifest made, and what was made for that. */
  async delete(name: string): Promise<void> {
    const object = this.#manifest(name);
    await this.api.delete(`${await pathOf(this.api, object)}?propagationPolicy=Background`);
    this.tell(`${object.kind} ${name} is deleted`);
  }

  /** Deletes a PodGroup that an operator created. */
  async deletePodGroup(name: string): Promise<void> {
    await this.api.delete(`${podGroups}/${name}`);
    this.tell(`PodGroup ${name} is deleted`);
  }

  /** Resolves when exactly so many pods are there, none has a node, and each says why in words that contain the text. */
  async untilWaiting(count: number, text: string): Promise<void> {
    const all = await this.untilPods(
      `${count} pods wait, and say "${text}"`,
      (all) => all.length === count && all.every((pod) => whyPending(pod)?.includes(text)),
    );
    this.tell(`none of ${count} pods has a node: ${whyPending(all[0]!)}`);
  }

  /** Resolves when exactly so many pods are there besides those that have succeeded, and all run; returns them. */
  async untilRunning(count: number): Promise<KubernetesObject[]> {
    const all = await this.untilPods(
      `${count} pods run, and no other is there`,
      (all) => unfinished(all).length === count && unfinished(all).every(isRunning),
    );
    const running = unfinished(all);
    const nodes = new Set(running.map((pod) => pod["spec"].nodeName));
    this.tell(`all ${count} pods run, on ${[...nodes].sort().join(", ")}`);
    return running;
  }

  /** Resolves when exactly so many pods run, and exactly so many others have no node and say why in words that contain the text; returns those that run. */
  async untilSomeRunning(
    count: number,
    others: { waiting: number; text: string },
  ): Promise<KubernetesObject[]> {
    const { waiting, text } = others;
    const all = await this.untilPods(
      `${count} pods run, and ${waiting} others wait and say "${text}"`,
      (all) =>
        all.length === count + waiting && all.filter(isRunning).length === count &&
        all.every((pod) => isRunning(pod) || whyPending(pod)?.includes(text)),
    );
    const why = whyPending(all.find((pod) => !isRunning(pod))!);
    this.tell(`${count} pods run, and none of ${waiting} others has a node: ${why}`);
    return all.filter(isRunning);
  }

  /** Watches the pods until `done` is true of them, and returns them. */
  async untilPods(
    what: string,
    done: (all: KubernetesObject[]) => boolean,
  ): Promise<KubernetesObject[]> {
    try {
      return await this.api.watchUntil(pods, done, { timeoutMs: patienceMs });
    } catch (cause) {
      const lines = (await this.api.list(pods)).map((pod) =>
        describePod(pod as DescribedPod & KubernetesObject)
      );
      throw new Error(`Waited in vain until ${what}; the pods are:\n${lines.join("\n")}`, {
        cause,
      });
    }
  }

  /** Resolves when no pod is left, and no PodGroup. */
  async untilNothing(): Promise<void> {
    await this.untilPods("every pod is gone", (all) => all.length === 0);
    await this.api.watchUntil(podGroups, (all) => all.length === 0, { timeoutMs: patienceMs });
    this.tell("no pod and no PodGroup is left");
  }

  /** Deletes a pod, as an eviction does. */
  async deletePod({ metadata }: KubernetesObject): Promise<void> {
    await this.api.delete(`${pods}/${metadata.name}`);
    this.tell(`${metadata.name} is deleted`);
  }

  /** Resolves when another pod of the same name is there. */
  async untilReplaced({ metadata }: KubernetesObject): Promise<void> {
    await this.untilPods(
      `another pod ${metadata.name} is there`,
      (all) =>
        all.some(({ metadata: { name, uid } }) => name === metadata.name && uid !== metadata.uid),
    );
  }

  /** Ends the containers of a pod, as its kubelet would report it. */
  async end(pod: KubernetesObject, exitCode: number): Promise<void> {
    const phase = exitCode === 0 ? "Succeeded" : "Failed";
    await this.#report(pod, {
      phase,
      container: { ready: false, state: { terminated: { exitCode } } },
    });
    this.tell(`${pod.metadata.name} ends with code ${exitCode}`);
  }

  /** Restarts the containers of a pod, as its kubelet would report it. */
  async restart(pod: KubernetesObject): Promise<void> {
    const state = { running: { startedAt: new Date().toISOString() } };
    await this.#report(pod, {
      phase: "Running",
      container: { ready: true, restartCount: 1, state },
    });
    this.tell(`${pod.metadata.name} restarts`);
  }

  async #report(
    { metadata, spec }: KubernetesObject,
    { phase, container }: { phase: string; container: object },
  ): Promise<void> {
    const containerStatuses = (spec.containers as { name: string; image: string }[])
      .map(({ name, image }) => ({ name, image, restartCount: 0, ...container }));
    await this.api.patch(`${pods}/${metadata.name}/status`, {
      status: { phase, containerStatuses },
    });
  }

  /** The one that is changed stays changed. */
  #manifest(name: string): KubernetesObject {
    const found = this.#parts.manifests.find(({ metadata }) => metadata.name === name);
    if (!found) throw new Error(`Cannot find "${name}" among the manifests of docs/operators.md`);
    return found;
  }
}

function unfinished(all: readonly KubernetesObject[]): KubernetesObject[] {
  return all.filter((pod) => pod["status"].phase !== "Succeeded");
}

/** Whether a pod runs, and is to go on. */
function isRunning(pod: KubernetesObject): boolean {
  return pod["status"].phase === "Running" && !pod.metadata.deletionTimestamp;
}

function whyPending(pod: KubernetesObject): string | undefined {
  if (pod["spec"].nodeName) return undefined;
  const conditions: { type: string; status: string; message?: string }[] =
    pod["status"].conditions ?? [];
  return conditions.find(({ type, status }) => type === "PodScheduled" && status === "False")
    ?.message;
}
