import type { ControlPlane } from "../control_plane/control_plane.ts";
import { startMuster } from "../control_plane/muster.ts";
import { type Scheduler, startScheduler } from "../control_plane/scheduler.ts";
import type { StoryPod, World } from "../story.ts";

const PODS = "/api/v1/namespaces/default/pods";

/** A control plane with an audit log as the story's world; Muster and schedulers end with it. */
export function controlPlaneWorld(controlPlane: ControlPlane): World {
  const { api } = controlPlane;
  let scheduler: Scheduler | undefined;
  return {
    description: "a real control plane: etcd, kube-apiserver, kube-scheduler; kwok plays the nodes",
    addNode: ({ name, gpus }) => controlPlane.addNode(name, { gpus, cpus: 32, memory: "128Gi" }),
    createPod: async (pod) => {
      await api.create(PODS, pod);
    },
    deletePod: async (name) => {
      await api.delete(`${PODS}/${name}`);
    },
    waitFor: async (predicate, { what, timeout }) => {
      try {
        const seen = (pods: unknown[]) => predicate(pods as StoryPod[]);
        return await api.watchUntil(PODS, seen, { timeoutMs: timeout }) as unknown as StoryPod[];
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`Waited in vain until ${what}: ${why}`, { cause });
      }
    },
    bindings: async () => {
      const events = await controlPlane.auditEvents();
      return events.filter(({ objectRef, responseStatus }) =>
        objectRef?.subresource === "binding" && responseStatus?.code === 201
      ).map(({ objectRef }) => objectRef?.name ?? "");
    },
    startScheduler: async (options) => {
      await scheduler?.kill("SIGTERM");
      scheduler = await startScheduler(controlPlane, options);
    },
    startMuster: async () => `${(await startMuster(controlPlane)).url}/extender`,
  };
}
