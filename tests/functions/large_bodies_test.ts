import { assertEquals } from "@std/assert";
import { gang, group, pod } from "../support/facts.ts";
import { Service } from "./service.ts";

/** Nearly the largest body that is taken. */
const megabytes = 3.9;
const long = "ü".repeat(megabytes * 1e6 / 2);
const pair = { minMember: 2, held: 1, pending: 1 };
const uids = Array.from({ length: 6_000 }, (_, index) => `${index}`.padEnd(253, "x"));
const names = Array.from({ length: 80 }, (_, index) => `${index}`.padEnd(250, "n"));
const groups = names.map((name) => `${"s".repeat(200)}/${name}`);

const bodies: [what: string, stage: string, body: unknown][] = [
  ["uids of held members", "permit", group(gang({ minMember: 7_000, held: uids, pending: 1_000 }))],
  ["minResources", "prefilter", group(gang({ ...pair, minResources: { [long]: "1" } }))],
  ["what is wrong with a gang", "permit", {
    ...group(gang({ ...pair, problem: { reason: "InvalidMinMember", message: long } })),
  }],
  ["what the scheduler said", "postfilter", {
    ...group(gang(pair)),
    failed: [{ uid: "a-1", message: long }],
  }],
  ["what is short", "prefilter", {
    ...group(gang({ minMember: 2, pending: 2 })),
    fit: { members: 1, of: 2, shortOf: long },
  }],
  ["names of a gang group", "unreserve", {
    ...group(
      ...names.map((name) =>
        gang({ namespace: "s".repeat(200), name, minMember: 2, held: 1, pending: 1, groups })
      ),
    ),
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
