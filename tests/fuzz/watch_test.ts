import { assertEquals } from "@std/assert";
import { compositePodGroups } from "../../shared/kubernetes/declaring/composite_pod_group.ts";
import { podGroupKinds } from "../../shared/kubernetes/declaring/pod_group.ts";
import type { KubeObject } from "../../tools/sandbox/objects.ts";
import { objectKey } from "../../tools/sandbox/objects.ts";
import { customResource } from "../../tools/sandbox/resources.ts";
import { RelayWorld } from "../support/relay_world.ts";
import { fuzz } from "./fuzz.ts";
import { burst, type Written } from "./grammar/objects.ts";

const resources = [
  ...podGroupKinds.map(({ group, versions }) =>
    customResource({ group, version: versions[0]!, plural: "podgroups", kind: "PodGroup" })
  ),
  customResource({
    group: compositePodGroups.group,
    version: compositePodGroups.versions[0],
    plural: compositePodGroups.plural,
    kind: "CompositePodGroup",
  }),
];
const options = { nodes: { "node-1": 8 }, resources };

/** What only one node has, and only the healthy gang asks for: nobody else can want its room. */
const only = "example.com/healthy";
const spec = { containers: [{ name: "main", resources: { limits: { [only]: "1" } } }] };

/** What was thrown where nobody catches it. */
function uncaught() {
  const errors: unknown[] = [];
  const listen = (event: ErrorEvent | PromiseRejectionEvent) => {
    event.preventDefault();
    errors.push("reason" in event ? event.reason : event.error);
  };
  const kinds = ["error", "unhandledrejection"] as const;
  for (const kind of kinds) globalThis.addEventListener(kind, listen);
  return {
    errors,
    [Symbol.dispose]() {
      for (const kind of kinds) globalThis.removeEventListener(kind, listen);
    },
  };
}

/** Each has a name that no other had. */
let gangs = 0;

/** Shows the relay what the API server has, and takes it away again. */
async function show(world: RelayWorld, objects: readonly Written[]): Promise<void> {
  const { store } = world.sandbox.server;
  const there = new Map<string, [storage: string, object: KubeObject]>();
  for (const { storage, object, isGone } of objects) {
    const key = `${storage} ${objectKey(object as never)}`;
    const known = there.get(key)?.[1];
    // An object that changes keeps its UID.
    const uid = known?.metadata.uid ?? object.metadata["uid"];
    const written = { ...object, metadata: { ...object.metadata, uid } } as never as KubeObject;
    there.set(key, [storage, store.put(storage, written)]);
    if (isGone) {
      store.remove(storage, store.get(storage, objectKey(written))!);
      there.delete(key);
    }
  }
  const names = await world.createGang(`healthy-${++gangs}`, { size: 2, spec });
  try {
    await world.untilBound(names);
  } finally {
    await world.delete(...names);
    for (const [storage, object] of there.values()) {
      const last = store.get(storage, objectKey(object));
      if (last) store.remove(storage, last);
    }
  }
}

Deno.test(
  "fuzz: whatever pods, PodGroups, nodes and budgets say, the relay stays and binds other gangs",
  { sanitizeOps: false, sanitizeResources: false },
  async () => {
    await using world = await RelayWorld.start(options);
    await world.sandbox.addNode({ name: "healthy", cpu: 0, memory: "0", resources: { [only]: 2 } });
    using thrown = uncaught();
    await fuzz({
      name: "watch",
      // Of a dozen objects each.
      share: 0.01,
      inputs: burst,
      call: async (objects) => {
        await show(world, objects);
        const failed = world.logged.filter(({ message }) => /watch|Cannot read/i.test(message));
        assertEquals([...thrown.errors.splice(0).map(String), ...failed], []);
        world.forget();
      },
    });
  },
);
