import { assertEquals, assertStringIncludes } from "@std/assert";
import { gang, group } from "../support/facts.ts";
import { Service } from "./service.ts";

const told = {
  ...group(gang({ minMember: 1, running: 1, bound: 1 })),
  relay: { id: "r", epoch: 1 },
};

function podsAs(state: string) {
  const pod = { name: "a-0", uid: "1", state, node: "<node>", requests: { cpu: 1500 } };
  return { "default/a": [pod], "default/unknown": [pod] };
}

Deno.test("the API and the page have a gang's members as its facts told them last", async () => {
  await using service = new Service();
  const detail = async () => (await service.request("/v1/gangs/default/a")).body;
  await service.post("/v1/prefilter", { ...told, pods: podsAs("bound") });
  assertEquals((await detail()).pods, podsAs("bound")["default/a"]);
  const later = { ...told, relay: { id: "r", epoch: 2 } };
  await service.post("/v1/prefilter", { ...later, pods: podsAs("running") });
  assertEquals((await detail()).pods, podsAs("running")["default/a"]);
  assertStringIncludes((await service.request("/page/gangs/default/a")).body, "&lt;node&gt;");
  assertEquals((await service.request("/v1/gangs/default/unknown")).status, 404);
});

Deno.test("a caller that tells no members is answered all the same, and what they say changes no answer", async () => {
  await using service = new Service();
  const first = await service.post("/v1/prefilter", told);
  assertEquals((await service.request("/v1/gangs/default/a")).body.pods, undefined);
  const again = await service.post("/v1/prefilter", { ...told, pods: podsAs("failed") });
  assertEquals(again.body, first.body);
});

Deno.test("more members of a gang than are shown are refused", async () => {
  await using service = new Service();
  const [pod] = podsAs("bound")["default/a"];
  const { status, body } = await service.post("/v1/prefilter", {
    ...told,
    pods: { "default/a": Array.from({ length: 101 }, () => pod) },
  });
  assertEquals([status, body.errors[0].path], [400, "pods.default/a"]);
});
