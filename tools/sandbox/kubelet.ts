import type { ApiServer } from "./api_server.ts";
import { kubeTime, objectKey, type Pod } from "./objects.ts";
import { setCondition } from "./pod_status.ts";

/** Lets every pod that is bound to a node run: phase Running and condition Ready, one event-loop turn later. */
export function startKubelet(server: ApiServer): () => void {
  const { store } = server;
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const unsubscribe = store.subscribe(({ storage, type, object }) => {
    if (storage !== "pods" || type === "DELETED" || !awaitsStart(object as Pod)) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      const pod = store.get("pods", objectKey(object)) as Pod | undefined;
      if (pod?.metadata.uid !== object.metadata.uid || !awaitsStart(pod)) return;
      const now = kubeTime(Date.now());
      const conditions = setCondition(pod.status.conditions, {
        type: "Ready",
        status: "True",
        lastTransitionTime: now,
      });
      store.put("pods", {
        ...pod,
        status: { ...pod.status, phase: "Running", startTime: now, conditions },
      });
    }, 0);
    timers.add(timer);
  });
  return () => {
    unsubscribe();
    for (const timer of timers) clearTimeout(timer);
  };
}

function awaitsStart(pod: Pod): boolean {
  return Boolean(pod.spec.nodeName) && pod.status.phase === "Pending" &&
    pod.metadata.deletionTimestamp === undefined;
}
