import { assertEquals, assertRejects } from "@std/assert";
import { KubeApi, KubeError } from "../../shared/client/kube_api.ts";
import { StatusWriter } from "../../shared/client/status_writer.ts";
import type { GroupingKind } from "../../shared/kubernetes/declaring/composite_pod_group.ts";
import { nativePodGroup, sigsPodGroup } from "../../shared/kubernetes/declaring/pod_group.ts";
import { connection } from "../property/histories/model_api.ts";
import { podGroupOf } from "../support/objects.ts";

const seen = podGroupOf({ minMember: 2 });
const podGroup = {
  ...seen,
  apiVersion: "scheduling.x-k8s.io/v1alpha1",
  metadata: { ...seen.metadata, resourceVersion: "1" },
};

/** Writes one status after another, and gives the ends of the paths; `answers` has a code, or the version afterwards, for each. */
async function written(...answers: (number | string)[]) {
  return await writtenOf(sigsPodGroup, answers);
}

async function writtenOf(kind: GroupingKind, answers: (number | string)[]) {
  const paths: string[] = [];
  const api = new KubeApi(connection, (url) => {
    paths.push(url.endsWith("/status") ? "status" : "whole");
    const answer = answers.shift()!;
    return Promise.resolve(
      typeof answer === "number"
        ? Response.json({ message: "no" }, { status: answer })
        : Response.json({
          ...podGroup,
          metadata: { ...podGroup.metadata, resourceVersion: answer },
        }),
    );
  });
  const writer = new StatusWriter(api);
  while (answers.length > 0) {
    await writer.write({ kind, podGroup }, { phase: "Running" });
  }
  return paths;
}

Deno.test("StatusWriter writes to the subresource, and where there is none the whole object from then on", async () => {
  assertEquals(await written("2", "3"), ["status", "status"]);
  assertEquals(await written(404, "2", "3"), ["status", "whole", "whole"]);
});

Deno.test("StatusWriter looks for the subresource again where the whole object stays as it was", async () => {
  assertEquals(await written(404, "2", "1", "3"), [
    "status",
    "whole",
    "whole",
    "status",
  ]);
});

Deno.test("StatusWriter writes what Kubernetes itself serves to the subresource alone: it is gone otherwise", async () => {
  await assertRejects(() => writtenOf(nativePodGroup, [404, "2"]), KubeError, "no");
});

Deno.test("StatusWriter passes on whatever else fails", async () => {
  await assertRejects(() => written(409), KubeError);
  await assertRejects(() => written(404, 404), KubeError);
});
