import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ClusterMap } from "../../shared/core/gang/cluster_map.ts";
import { nodeMap } from "../../page/node_map.ts";
import { Service } from "../functions/service.ts";
import { gang, group } from "../support/facts.ts";

const at = "2026-01-01T00:00:00Z";
const map: ClusterMap = {
  at,
  resource: "nvidia.com/gpu",
  levels: ["example.com/rack"],
  gangs: ["default/a", "default/b"],
  places: [
    {
      domain: ["r1"],
      node: "n1",
      nodes: 1,
      allocatable: 8,
      gangs: [{ gang: 0, bound: 2, held: 1 }, { gang: 1, planned: 4 }],
      others: { bound: 1 },
    },
    { domain: ["r1"], node: "n2", nodes: 1, allocatable: 8, gangs: [], others: {} },
    { domain: [""], node: "n3", nodes: 1, allocatable: 4, gangs: [], others: { held: 6 } },
  ],
};

function textOf(markup: string): string {
  return markup.replace(/<title>.*?<\/title>|<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
}

function rowsOf(map: ClusterMap): string[][] {
  const text = String(nodeMap(map, Date.parse(at)));
  return [...text.matchAll(/<tr>[^]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<t[dh][^]*?<\/t[dh]>/g)].map(([cell]) => textOf(cell).replaceAll(" / ", "/"))
  );
}

function cardsOf(map: ClusterMap): string[] {
  const text = String(nodeMap(map, Date.parse(at)));
  return [...text.matchAll(/<h3>[^]*?<\/h3>/g)].map(([title]) => textOf(title));
}

Deno.test("page: each node with what gangs have of it, and what is free", () => {
  assertEquals(rowsOf(map), [
    ["rack", "Node", "Of", "Running", "Held", "Planned", "Free", "Gangs"],
    [
      "r1",
      "n1",
      "8",
      "3",
      "1",
      "4",
      "4",
      "default/a 2 running, 1 held default/b 4 planned others 1 running",
    ],
    ["r1", "n2", "8", "0", "0", "0", "8", ""],
    ["none", "n3", "4", "0", "6", "0", "0", "others 6 held"],
  ]);
  assertEquals(cardsOf(map), ["rack r1 4 of 16", "rack none 6 of 4"]);
});

Deno.test("page: the parts of a bar follow one another, and none is longer than its node", () => {
  const text = String(nodeMap(map, Date.parse(at)));
  const part = /<g class="part (\w+) \w+">\s*<title>(.*?)<\/title>\s*<rect\s+(x=\S+ width=\S+)/g;
  const parts = [...text.matchAll(part)].map(([, ...said]) => said.join(" "));
  assertEquals(parts, [
    `bound default/a: 2 running x="0.0" width="60.0"`,
    `bound others: 1 running x="60.0" width="30.0"`,
    `held default/a: 1 held x="90.0" width="30.0"`,
    `planned default/b: 4 planned x="120.0" width="120.0"`,
    `held others: 6 held x="0.0" width="120.0"`,
  ]);
});

Deno.test("page: domains where nodes are many, and what is left over", () => {
  const domains = {
    ...map,
    resource: "cpu",
    levels: ["block", "rack"],
    places: [
      { domain: ["b1", "r1"], nodes: 16, allocatable: 64_500, gangs: [], others: {} },
      { domain: ["b1", "r2"], nodes: 2, allocatable: 8000, gangs: [], others: {} },
      { nodes: 70, allocatable: 280_000, gangs: [], others: {} },
    ],
  };
  assertEquals(rowsOf(domains).map((cells) => cells.slice(0, 3)), [
    ["rack", "Nodes", "Of"],
    ["b1/r1", "16", "64.5"],
    ["b1/r2", "2", "8"],
    ["others", "70", "280"],
  ]);
  assertEquals(cardsOf(domains), ["block b1 0 of 72.5", "All 0 of 280"]);
});

Deno.test("page: the nodes as they were told last; what names them is shown as it is", async () => {
  await using service = new Service();
  assertStringIncludes((await service.request("/page/nodes")).body, "No node yet");
  const waiting = { ...group(gang({ minMember: 2, pending: 1 })), relay: { id: "r", epoch: 1 } };
  const place = { ...map.places[0]!, node: "<b>n1" };
  const { status } = await service.post("/v1/prefilter", {
    ...waiting,
    map: { ...map, places: [place] },
  });
  assertEquals(status, 200);
  const { body } = await service.request("/page/nodes");
  assertStringIncludes(body, "&lt;b&gt;n1");
  assertMatch(body, /<a\s+href="\/page\/gangs\/default\/b">/);
  assert(!body.includes("<b>"));
  for (
    const [path, wrong] of [
      ["map.places[0].gangs[0].gang", { ...map, places: [{ ...place, gangs: [{ gang: 100 }] }] }],
      ["map", { ...map, places: [{ ...place, gangs: [{ gang: 2 }] }] }],
      ["map.places", { ...map, places: Array.from({ length: 101 }, () => place) }],
    ] as const
  ) {
    const bad = await service.post("/v1/permit", { ...waiting, map: wrong });
    assertEquals([bad.status, bad.body.errors[0].path], [400, path]);
  }
});
