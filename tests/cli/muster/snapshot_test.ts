import { assertEquals, assertRejects } from "@std/assert";
import { snapshot } from "../../../cli/muster/simulation/snapshot.ts";
import { KubeApi, KubeError } from "../../../shared/client/kube_api.ts";

const podGroups = "/apis/scheduling.x-k8s.io/v1alpha1/podgroups";
const jobs = "/apis/batch/v1/jobs";

/** An API server with these lists, which serves Jobs and one kind of PodGroup; a number is an error. */
function apiWith(lists: Record<string, object[] | number>): KubeApi {
  const bodies: Record<string, object | number> = {
    "/apis": {
      groups: [
        { name: "batch", versions: [{ version: "v1" }] },
        { name: "scheduling.x-k8s.io", versions: [{ version: "v1alpha1" }] },
      ],
    },
    "/apis/batch/v1": { resources: [{ name: "jobs" }] },
    "/apis/scheduling.x-k8s.io/v1alpha1": { resources: [{ name: "podgroups" }] },
  };
  const listed = { "/apis/scheduling.k8s.io/v1/priorityclasses": [], [jobs]: [], ...lists };
  for (const path of ["/api/v1/nodes", "/api/v1/pods", ...Object.keys(listed)]) {
    const items = (listed as typeof lists)[path] ?? [];
    bodies[path] = typeof items === "number" ? items : { metadata: {}, items };
  }
  const connection = { server: "https://api.test", credentials: () => Promise.resolve({}) };
  return new KubeApi(connection, (input) => {
    const body = bodies[new URL(String(input)).pathname] ?? 404;
    return Promise.resolve(
      typeof body === "number" ? new Response(null, { status: body }) : Response.json(body),
    );
  });
}

Deno.test("snapshot() reads PodGroups in the version that is served, with what a list does not repeat", async () => {
  const metadata = { name: "a", namespace: "default", uid: "uid-a" };
  const objects = await snapshot(apiWith({ [podGroups]: [{ metadata }] }));
  const found = objects.podGroups.map(({ podGroup }) => podGroup);
  assertEquals(found.map(({ apiVersion }) => apiVersion), ["scheduling.x-k8s.io/v1alpha1"]);
});

Deno.test("snapshot() does without Jobs that it may not read, but not without PodGroups", async () => {
  const { jobs: read } = await snapshot(apiWith({ [jobs]: 403, [podGroups]: [] }));
  assertEquals(read, []);
  const error = await assertRejects(() => snapshot(apiWith({ [podGroups]: 403 })), KubeError);
  assertEquals(error.code, 403);
});
