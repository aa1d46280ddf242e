/**
 * Writes to pods that must not get lost.
 *
 * @module
 */
import { AbortError } from "p-retry";
import type { PodRef } from "../../shared/core/gang/facts.ts";
import { isOutdated, type KubeApi, KubeError } from "./kube_api.ts";
import { retry } from "./retry.ts";
import { pause } from "./retry_after.ts";

/**
 * Binds a pod to its node. "Already bound there" is success; what may pass by itself is tried again a few times.
 *
 * @throws {Error} if the pod is gone, bound elsewhere, or the API server keeps refusing.
 */
export async function bindPod(api: KubeApi, pod: PodRef & { node: string }): Promise<void> {
  await patiently(async () => {
    try {
      await api.bind(pod, pod.node);
    } catch (error) {
      const isConflict = error instanceof KubeError && error.code === 409;
      if (!isConflict || !await isBoundThere(api, pod)) throw error;
    }
  });
}

/**
 * Writes bindings, one at a time for a pod: a call that comes after its scheduler gave an earlier one up waits for what
 * becomes of that, and finds the pod bound or not.
 */
export class Binder {
  readonly #api: KubeApi;
  /** By UID; resolves to the node. */
  readonly #writing = new Map<string, Promise<string>>();

  constructor(api: KubeApi) {
    this.#api = api;
  }

  /** Binds a pod to its node; throws as {@linkcode bindPod}. */
  async bind(pod: PodRef & { node: string }): Promise<void> {
    const binding = this.#after(this.#writing.get(pod.uid), pod);
    this.#writing.set(pod.uid, binding);
    try {
      await binding;
    } finally {
      if (this.#writing.get(pod.uid) === binding) this.#writing.delete(pod.uid);
    }
  }

  async #after(
    earlier: Promise<string> | undefined,
    pod: PodRef & { node: string },
  ): Promise<string> {
    const isBound = await earlier?.then((node) => node === pod.node, () => false);
    if (!isBound) await bindPod(this.#api, pod);
    return pod.node;
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing.values());
  }
}

/** Sets annotations of a pod; what may pass by itself is tried again a few times. */
export async function annotatePod(
  api: KubeApi,
  pod: { namespace: string; name: string },
  annotations: Record<string, string>,
): Promise<void> {
  await patiently(() => api.annotate(pod, annotations));
}

/** The annotation whose change wakes a member in the scheduler's queue. */
const pokedAnnotation = "muster.scheduling/poked";

/** Wakes a pod in the scheduler's queue, and says where it is to go, in one write; what may pass by itself is tried again. */
export async function pokePod(
  api: KubeApi,
  pod: { namespace: string; name: string; uid: string },
  node: string | undefined,
): Promise<void> {
  const annotations = { [pokedAnnotation]: new Date().toISOString() };
  if (node === undefined) return await annotatePod(api, pod, annotations);
  await patiently(() => api.nominate(pod, { node, annotations }));
}

/** Removes a scheduling gate of a pod, unless the pod is gone; what may pass by itself is tried again a few times. */
export async function ungatePod(
  api: KubeApi,
  pod: { namespace: string; name: string; uid: string },
  gate: string,
): Promise<void> {
  await patiently(() => api.ungate(pod, gate)).catch((error) => {
    if (!isOutdated(error)) throw error;
  });
}

/** Writes; what may pass by itself is tried again a few times. */
export async function patiently<T>(write: () => Promise<T>): Promise<T> {
  return await retry(async () => {
    try {
      return await write();
    } catch (error) {
      const isFinal = error instanceof KubeError && error.code < 500 && error.code !== 429;
      if (isFinal) throw new AbortError(error);
      if (error instanceof KubeError) await pause(error.retryAfterMs);
      throw error;
    }
  }, { retries: 4, maxTimeout: 1000 });
}

async function isBoundThere(
  api: KubeApi,
  { namespace, name, uid, node }: PodRef,
): Promise<boolean> {
  const pod = await api.pod(namespace, name);
  return pod?.metadata.uid === uid && pod.spec.nodeName === node;
}
