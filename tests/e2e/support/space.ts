import type { ApiClient, KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { isBound, podOf, type PodOptions, whyPending } from "./pods.ts";

/** Longer than the wait of 60 s after which a round ends in any case; the machine is shared with whatever else runs on it. */
const patienceMs = 90_000;

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

  /** Creates the members `<name>-0` to `<name>-<size - 1>` at once; the quorum is all of them by default. */
  async createGang(
    name: string,
    options: Omit<PodOptions, "gang"> & { size: number; minAvailable?: number | string },
  ): Promise<void> {
    const { size, minAvailable = size, ...rest } = options;
    await Promise.all(
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
      `"${names.join('", "')}" are gone`,
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
      const pods = (await this.pods()).map(describe).join("\n");
      throw new Error(`Waited in vain until ${what}; the pods are:\n${pods}`);
    }
  }

  /** Resolves when all the named pods have a node. */
  untilBound(names: readonly string[]): Promise<KubernetesObject[]> {
    return this.until(
      `"${names.join('", "')}" are bound`,
      (pods) =>
        names.every((name) => pods.some((pod) => pod.metadata.name === name && isBound(pod))),
    );
  }

  /** Resolves when all the named pods say in their condition why they wait, in words that contain the text; none has a node. */
  untilTold(names: readonly string[], text: string): Promise<KubernetesObject[]> {
    return this.until(
      `"${names.join('", "')}" wait, unbound, and say "${text}"`,
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
    if (seen) throw new Error(`It happened that ${what}:\n${seen.map(describe).join("\n")}`);
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
      throw new Error(
        `Waited in vain until ${what}; the events are ${JSON.stringify(events.map(read))}`,
        { cause },
      );
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

function describe(pod: KubernetesObject): string {
  const { name, deletionTimestamp } = pod.metadata;
  const node = pod["spec"].nodeName ?? whyPending(pod) ?? "not looked at yet";
  return `  ${name}: ${pod["status"].phase}, ${node}${deletionTimestamp ? ", being deleted" : ""}`;
}

/** The names of a gang's members. */
export function membersOf(gang: string, size: number): string[] {
  return Array.from({ length: size }, (_, index) => `${gang}-${index}`);
}
