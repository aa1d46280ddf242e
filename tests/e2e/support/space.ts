import type { ApiClient, KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { isBound, podOf, type PodOptions, whyPending } from "./pods.ts";
import { patienceMs } from "./until.ts";

/** A namespace of one test. */
export class Space {
  readonly name: string;
  /** REST path of its pods. */
  readonly path: string;
  readonly #api: ApiClient;

  constructor(api: ApiClient, name: string) {
    this.#api = api;
    this.name = name;
    this.path = `/api/v1/namespaces/${name}/pods`;
  }

  /** Creates a pod and returns it as the API server answers. */
  create(name: string, options: PodOptions = {}): Promise<KubernetesObject> {
    return this.#api.create(this.path, podOf(name, options));
  }

  /** Creates another object; its path has `{namespace}` where the name of this one goes. */
  createIn(path: string, object: object): Promise<KubernetesObject> {
    return this.#api.create(path.replace("{namespace}", this.name), object);
  }

  /** What the API server would make of a pod, which it does not create. */
  dryRun(name: string, options: PodOptions = {}): Promise<KubernetesObject> {
    return this.#api.create(`${this.path}?dryRun=All`, podOf(name, options));
  }

  /**
   * Creates the members `<name>-0` to `<name>-<size - 1>` at once, and returns them as the API server answers; the quorum is
   * all of them by default.
   */
  createGang(
    name: string,
    options: Omit<PodOptions, "gang"> & { size: number; minAvailable?: number | string },
  ): Promise<KubernetesObject[]> {
    const { size, minAvailable = size, ...rest } = options;
    return Promise.all(
      membersOf(name, size).map((member) =>
        this.create(member, { ...rest, gang: { name, minAvailable } })
      ),
    );
  }

  /** All pods. */
  pods(): Promise<KubernetesObject[]> {
    return this.#api.list(this.path);
  }

  /** Deletes the named pods, and resolves when they are gone. */
  async delete(...names: string[]): Promise<void> {
    await Promise.all(names.map((name) => this.#api.delete(`${this.path}/${name}`)));
    await this.until(
      `${listOf(names)} are gone`,
      (pods) => !pods.some((pod) => names.includes(pod.metadata.name)),
    );
  }

  /** Watches the pods until `done` is true of them, and returns them. */
  async until(
    what: string,
    done: (pods: KubernetesObject[]) => boolean,
  ): Promise<KubernetesObject[]> {
    try {
      return await this.#api.watchUntil(this.path, done, { timeoutMs: patienceMs });
    } catch (error) {
      if (!isTimeout(error, patienceMs)) throw error;
      throw new Error(
        `Waited in vain until ${what}; the pods are:\n${describe(await this.pods())}`,
      );
    }
  }

  /** Resolves when all the named pods have a node. */
  untilBound(names: readonly string[]): Promise<KubernetesObject[]> {
    return this.until(
      `${listOf(names)} are bound`,
      (pods) =>
        names.every((name) => pods.some((pod) => pod.metadata.name === name && isBound(pod))),
    );
  }

  /** Resolves when all the named pods run: what stands for their kubelet has nothing more to write about them. */
  untilRunning(names: readonly string[]): Promise<KubernetesObject[]> {
    return this.until(
      `${listOf(names)} run`,
      (pods) =>
        names.every((name) =>
          pods.some((pod) => pod.metadata.name === name && pod["status"].phase === "Running")
        ),
    );
  }

  /** Resolves when all the named pods say in their condition why they wait, in words that contain the text; none has a node. */
  untilTold(names: readonly string[], text: string): Promise<KubernetesObject[]> {
    return this.until(
      `${listOf(names)} wait, unbound, and say "${text}"`,
      (pods) =>
        names.every((name) =>
          pods.some((pod) =>
            pod.metadata.name === name && !isBound(pod) && whyPending(pod)?.includes(text)
          )
        ),
    );
  }

  /** The names of the pods that have a node, sorted. */
  async bound(): Promise<string[]> {
    return (await this.pods()).filter(isBound).map((pod) => pod.metadata.name).sort();
  }

  /** Watches the named pods for a time in milliseconds, and throws if one leaves, or has no node. */
  keepsBound(names: readonly string[], ms: number): Promise<void> {
    const isKept = (pods: KubernetesObject[], name: string) =>
      pods.some((pod) =>
        pod.metadata.name === name && isBound(pod) && !pod.metadata.deletionTimestamp
      );
    return this.neverWithin(
      ms,
      "a member leaves",
      (pods) => names.some((name) => !isKept(pods, name)),
    );
  }

  /** Watches the pods for a time in milliseconds, and throws if `happens` is ever true of them. */
  async neverWithin(
    ms: number,
    what: string,
    happens: (pods: KubernetesObject[]) => boolean,
  ): Promise<void> {
    let seen: KubernetesObject[] | undefined;
    try {
      seen = await this.#api.watchUntil(this.path, happens, { timeoutMs: ms });
    } catch (error) {
      if (!isTimeout(error, ms)) throw error;
    }
    if (seen) throw new Error(`It happened that ${what}:\n${describe(seen)}`);
  }

  /** Watches the events in this namespace until one of them satisfies `matches`; `pod` is the name of what it is about. */
  async untilEvent(
    what: string,
    matches: (event: { reason: string; message: string; kind: string; pod: string }) => boolean,
  ): Promise<void> {
    const read = (event: KubernetesObject) => ({
      reason: String(event["reason"]),
      message: String(event["message"]),
      kind: String(event["involvedObject"].kind),
      pod: String(event["involvedObject"].name),
    });
    try {
      await this.#api.watchUntil(
        `/api/v1/namespaces/${this.name}/events`,
        (events) => events.some((event) => matches(read(event))),
        { timeoutMs: patienceMs },
      );
    } catch (cause) {
      const events = await this.#api.list(`/api/v1/namespaces/${this.name}/events`);
      const said = events.sort((a, b) => versionOf(b) - versionOf(a)).map(read)
        .map(({ pod, reason, message }) => `  ${pod}: ${reason}: ${message}`).join("\n");
      throw new Error(`Waited in vain until ${what}; the events are, the last first:\n${said}`, {
        cause,
      });
    }
  }

  /** Deletes every pod, and resolves when they are gone. */
  async clear(): Promise<void> {
    await this.#api.delete(`${this.path}?gracePeriodSeconds=0`);
    await this.until("all pods are gone", (pods) => pods.length === 0);
  }
}

function isTimeout(error: unknown, ms: number): boolean {
  return error instanceof Error && error.message.startsWith(`Waited ${ms} ms in vain`);
}

function versionOf({ metadata }: KubernetesObject): number {
  return Number(metadata.resourceVersion);
}

/** What pods do, those that have no node first; pods of which the same is to be said are named together. */
function describe(pods: readonly KubernetesObject[]): string {
  const isLast = (pod: KubernetesObject) => Number(isBound(pod));
  const alike = Map.groupBy(pods.toSorted((a, b) => isLast(a) - isLast(b)), stateOf);
  return [...alike].map(([state, all]) =>
    `  ${listOf(all.map(({ metadata }) => metadata.name))}: ${state}`
  ).join("\n");
}

function stateOf(pod: KubernetesObject): string {
  const { metadata: { deletionTimestamp }, spec, status } = pod;
  const node = spec.nodeName ?? whyPending(pod) ?? "not looked at yet";
  return `${status.phase}, ${node}${deletionTimestamp ? ", being deleted" : ""}`;
}

/** Names for a message; of many, some and their number. */
function listOf(names: readonly string[]): string {
  const few = names.slice(0, 4).map((name) => `"${name}"`).join(", ");
  return names.length > 4 ? `${few} and ${names.length - 4} more` : few;
}

/** The names of a gang's members. */
export function membersOf(gang: string, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `${gang}-${index}`);
}
