import type { World } from "../story.ts";
import { startMuster } from "./muster.ts";
import type { Sandbox } from "./sandbox.ts";

/**
 * A sandbox as the story's world; `folder` keeps Muster's files. Muster is a process of its own, which `stopAllProcesses`
 * ends.
 */
export function sandboxWorld(sandbox: Sandbox, folder: string): World {
  return {
    description: "a sandbox: an API server, kubelets and a scheduler loop in this process",
    addNode: (node) => sandbox.addNode(node),
    createPod: async (pod) => {
      await sandbox.createPod(pod);
    },
    deletePod: (name) => sandbox.deletePod(name),
    waitFor: (predicate, options) => sandbox.waitFor(predicate, options),
    bindings: () => {
      const accepted = sandbox.server.audit.filter(({ verb, code }) =>
        verb === "bind" && code === 201
      );
      return Promise.resolve(accepted.map(({ path }) => path.split("/").at(-2) ?? ""));
    },
    startScheduler: async (options) => {
      await sandbox.startScheduler(options);
    },
    startMuster: () => startMuster(sandbox.kubeconfigPath, folder),
  };
}
