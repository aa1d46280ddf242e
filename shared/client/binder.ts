/**
 * Bindings, which must not get lost.
 *
 * @module
 */
import { binding, type BoundPod } from "../kubernetes/writes.ts";
import { type KubeApi, KubeError } from "./kube_api.ts";
import { patiently } from "./patiently.ts";

/**
 * A binding that was not begun so long after it was granted, in ms, and so long for each that is being written, is not written:
 * where this process or its node stood still, the other scheduler has taken the lease, which lasts 15 s, and may have given the
 * room to others.
 */
const beginsWithinMs = 10_000;
const beginsPerBindingMs = 20;

/**
 * Binds a pod to its node. "Already bound there" is success; what may pass by itself is tried again a few times.
 *
 * @throws {Error} if the pod is gone, bound elsewhere, the API server keeps refusing, or no try has begun `by` then.
 */
export async function bindPod(api: KubeApi, pod: BoundPod, by?: number): Promise<void> {
  await patiently(async () => {
    try {
      await api.write(binding(pod), by);
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
  async bind(pod: BoundPod): Promise<void> {
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
    pod: BoundPod,
  ): Promise<string> {
    const by = Date.now() + beginsWithinMs + beginsPerBindingMs * this.#writing.size;
    const isBound = await earlier?.then((node) => node === pod.node, () => false);
    if (!isBound) await bindPod(this.#api, pod, by);
    return pod.node;
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing.values());
  }
}

async function isBoundThere(
  api: KubeApi,
  { namespace, name, uid, node }: BoundPod,
): Promise<boolean> {
  const pod = await api.pod(namespace, name);
  return pod?.metadata.uid === uid && pod.spec.nodeName === node;
}
