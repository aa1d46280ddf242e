import { assertEquals } from "@std/assert";
import { discover } from "../../shared/client/discovery.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";

const podGroups = { group: "example.com", plural: "podgroups", versions: ["v2", "v1"] };

/** What an API server serves of a kind, that has these plurals in each version of group example.com. */
async function servedOf(versions: Record<string, string[]>, kind = podGroups) {
  const bodies: Record<string, unknown> = {
    "/apis": {
      groups: [{
        name: "example.com",
        versions: Object.keys(versions).map((version) => ({ version })),
      }],
    },
  };
  for (const [version, plurals] of Object.entries(versions)) {
    bodies[`/apis/example.com/${version}`] = { resources: plurals.map((name) => ({ name })) };
  }
  const connection = { server: "https://api.test", credentials: () => Promise.resolve({}) };
  const api = new KubeApi(connection, (input) => {
    const body = bodies[new URL(String(input)).pathname];
    return Promise.resolve(body ? Response.json(body) : new Response(null, { status: 404 }));
  });
  return (await (await discover(api))(kind))?.path;
}

Deno.test("discover() finds the best version in which a kind is served", async () => {
  const plurals = ["podgroups", "podgroups/status"];
  assertEquals(
    await servedOf({ v1: plurals, v2: plurals }),
    "/apis/example.com/v2/podgroups",
  );
  assertEquals(await servedOf({ v1: plurals, v2: ["queues"] }), "/apis/example.com/v1/podgroups");
  assertEquals(await servedOf({ v1: plurals, v3: plurals }), "/apis/example.com/v1/podgroups");
});

Deno.test("discover() finds nothing where a kind, its group or its versions are not served", async () => {
  assertEquals(await servedOf({ v1: ["queues"] }), undefined);
  assertEquals(await servedOf({ v3: ["podgroups"] }), undefined);
  const other = { ...podGroups, group: "example.org" };
  assertEquals(await servedOf({ v1: ["podgroups"] }, other), undefined);
});
