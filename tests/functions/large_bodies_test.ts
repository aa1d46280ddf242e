import { assertEquals } from "@std/assert";
import { gang, group, pod } from "../support/facts.ts";
import { Service } from "./service.ts";

const pair = { minMember: 2, held: 1, pending: 1 };
const uids = Array.from({ length: 6_000 }, (_, index) => `${index}`.padEnd(253, "x"));
/** As many, and as long, as a gang group may have. */
const namespace = "s".repeat(63);
const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(96, "n"));
const groups = names.map((name) => `${namespace}/${name}`);
const minResources = Object.fromEntries(
  Array.from({ length: 32 }, (_, index) => [`${index}`.padEnd(317, "r"), "1".repeat(64)]),
);

const bodies: [what: string, stage: string, body: unknown][] = [
  ["uids of held members", "permit", group(gang({ minMember: 7_000, held: uids, pending: 1_000 }))],
  ["names and minResources of a gang group", "unreserve", {
    ...group(...names.map((name) => gang({ namespace, name, ...pair, groups, minResources }))),
    lost: [{ pod: pod("lost"), cause: "aborted", gang: groups[0] }],
  }],
];

for (const [what, stage, body] of bodies) {
  Deno.test(`functions: a body whose ${what} fill it is answered, and again the same`, async () => {
    await using service = new Service();
    const first = await service.post(`/v1/${stage}`, body);
    assertEquals(first.status, 200, JSON.stringify(first.body).slice(0, 300));
    assertEquals(await service.post(`/v1/${stage}`, body), first);
    const list = await service.request("/v1/gangs");
    assertEquals(list.status, 200);
    const [{ namespace, name }] = list.body.gangs;
    const detail = await service.request(`/v1/gangs/${namespace}/${name}`);
    assertEquals([detail.status, detail.body.name], [200, name]);
    // Short again, nothing of the long one is left.
    const short = {
      relay: { id: "relay", epoch: 2 },
      gangs: [{ ...gang(pair), gang: { ...gang(pair).gang, namespace, name } }],
    };
    assertEquals((await service.post("/v1/permit", short)).status, 200);
    const { status } = await service.request(`/v1/gangs/${namespace}/${name}`);
    assertEquals(status, 200);
  });
}
