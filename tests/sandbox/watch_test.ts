import { assert, assertEquals, assertMatch } from "@std/assert";
import { CoreV1Api, CustomObjectsApi, KubeConfig, makeInformer } from "@kubernetes/client-node";
import type { V1Pod } from "@kubernetes/client-node";
import { callApi } from "../../tools/sandbox/api_client.ts";
import type { KubeObject } from "../../tools/sandbox/objects.ts";
import { customResource } from "../../tools/sandbox/resources.ts";
import type { Sandbox } from "../../tools/sandbox/sandbox.ts";
import { deadline } from "./deadline.ts";
import { gpuPod, STRICT, withSandbox } from "./support.ts";

interface Line {
  type: string;
  object: KubeObject & { code?: number };
}

/** Opens a watch on pods and yields its lines; leaving the loop hangs up. */
async function* watch(sandbox: Sandbox, query: string): AsyncGenerator<Line> {
  const url = `${sandbox.url}/api/v1/pods?watch=true&${query}`;
  const response = await deadline(fetch(url), "the watch opens");
  assert(response.ok && response.body !== null, `the watch was refused: ${response.status}`);
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line);
  }
}

async function take(lines: AsyncGenerator<Line>, count: number): Promise<string[]> {
  const seen: string[] = [];
  while (seen.length < count) {
    const { value, done } = await deadline(lines.next(), `line ${seen.length + 1} of the watch`);
    if (done) break;
    seen.push(`${value.type} ${value.object.metadata.name ?? ""}`.trim());
  }
  return seen;
}

function label(sandbox: Sandbox, pod: string, value: string | null) {
  return callApi(`${sandbox.url}/api/v1/namespaces/default/pods/${pod}`, {
    method: "PATCH",
    contentType: "application/merge-patch+json",
    body: { metadata: { labels: { team: value } } },
  });
}

function test(name: string, body: (sandbox: Sandbox) => Promise<void>) {
  Deno.test(name, STRICT, () => withSandbox(body, { kubelet: false }));
}

test("a watch without a version begins with what is there, one with a version after it", async (sandbox) => {
  await sandbox.createPod(gpuPod("a", 1));
  const version = sandbox.server.store.version;
  await sandbox.createPod(gpuPod("b", 1));
  const all = watch(sandbox, "");
  const later = watch(sandbox, `resourceVersion=${version}`);
  assertEquals(await take(all, 2), ["ADDED a", "ADDED b"]);
  assertEquals(await take(later, 1), ["ADDED b"]);
  await label(sandbox, "a", "red");
  await sandbox.deletePod("b");
  assertEquals(await take(all, 2), ["MODIFIED a", "DELETED b"]);
  assertEquals(await take(later, 2), ["MODIFIED a", "DELETED b"]);
  sandbox.server.dropWatches();
  assertEquals(await take(all, 1), []);
  assertEquals(await take(later, 1), []);
});

test("objects enter and leave a watch with a selector", async (sandbox) => {
  const lines = watch(sandbox, "resourceVersion=1&labelSelector=team+in+(red)");
  const first = take(lines, 3);
  await sandbox.createPod(gpuPod("a", 1));
  await label(sandbox, "a", "red");
  await label(sandbox, "a", null);
  await sandbox.createPod({ ...gpuPod("b", 1), metadata: { name: "b", labels: { team: "red" } } });
  assertEquals(await first, ["ADDED a", "DELETED a", "ADDED b"]);
  await lines.return(undefined);
});

test("a version that is too old gets 410 as an ERROR line", async (sandbox) => {
  await sandbox.createPod(gpuPod("a", 1));
  sandbox.server.store.compact();
  const lines = watch(sandbox, "resourceVersion=1");
  const { value } = await lines.next();
  assertEquals([value?.type, value?.object.code], ["ERROR", 410]);
  assertEquals((await lines.next()).done, true);
});

test("a watch ends after timeoutSeconds with a bookmark", async (sandbox) => {
  const lines = watch(sandbox, "resourceVersion=1&timeoutSeconds=0.01&allowWatchBookmarks=true");
  const { value } = await deadline(lines.next(), "the bookmark comes");
  assertEquals([value?.type, value?.object.kind], ["BOOKMARK", "Pod"]);
  assertEquals(value?.object.metadata.resourceVersion, String(sandbox.server.store.version));
  assertEquals((await lines.next()).done, true);
});

// client-node keeps connections and timers of its own, which outlive a test.
const LENIENT = { sanitizeOps: false, sanitizeResources: false };

Deno.test("client-node: informer, binding, conflict, custom resources", LENIENT, async () => {
  const resource = customResource({
    group: "scheduling.sigs.k8s.io",
    version: "v1alpha1",
    plural: "podgroups",
    kind: "PodGroup",
  });
  await withSandbox(async (sandbox) => {
    const config = new KubeConfig();
    config.loadFromFile(sandbox.kubeconfigPath);
    const api = config.makeApiClient(CoreV1Api);
    await sandbox.createPod(gpuPod("a", 1));
    const seen: string[] = [];
    let look = () => {};
    const informer = makeInformer(config, "/api/v1/pods", () => api.listPodForAllNamespaces());
    for (const verb of ["add", "update", "delete"] as const) {
      informer.on(verb, (pod: V1Pod) => {
        seen.push(`${verb} ${pod.metadata?.name}`);
        look();
      });
    }
    const until = (line: string) =>
      deadline(
        new Promise<void>((resolve) => {
          look = () => seen.includes(line) && resolve();
          look();
        }),
        `the informer says "${line}"`,
      );
    await informer.start();
    try {
      await until("add a");
      await sandbox.createPod(gpuPod("b", 1));
      await until("add b");
      const body = { metadata: { name: "b" }, target: { kind: "Node", name: "n1" } };
      await api.createNamespacedPodBinding({ name: "b", namespace: "default", body });
      await until("update b");
      await sandbox.deletePod("a");
      await until("delete a");
      const again = await api.createNamespacedPodBinding({ name: "b", namespace: "default", body })
        .then(() => "bound twice", (error: { code: number; body: string }) => error);
      assertMatch(JSON.stringify(again), /"code":409.*already assigned to node/);

      const custom = config.makeApiClient(CustomObjectsApi);
      const where = { ...resource, namespace: "default" };
      await custom.createNamespacedCustomObject({
        ...where,
        body: { metadata: { name: "gang" }, spec: { minMember: 3 } },
      });
      const list = await custom.listNamespacedCustomObject(where);
      assertEquals(list.items.map((one: KubeObject) => one.spec), [{ minMember: 3 }]);
    } finally {
      await informer.stop();
    }
  }, { kubelet: false, resources: [resource] });
});
