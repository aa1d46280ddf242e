import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { at, gang, group } from "../support/facts.ts";
import { Service } from "../functions/service.ts";

/** Told to the service as a relay does, each with newer facts than the one before. */
let epoch = 0;

function facts(...parts: Parameters<typeof gang>) {
  return { ...group(gang(...parts)), relay: { id: "relay", epoch: ++epoch } };
}

/** The texts of the cells of each row of a document's tables. */
function rowsOf(body: string): string[][] {
  return [...body.matchAll(/<tr role="row" id=[^]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<td[^]*?<\/td>/g)].map(([cell]) =>
      cell.replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim()
    )
  );
}

function namesOf(body: string): string[] {
  return rowsOf(body).map((cells) => cells.find((cell) => cell.includes("/"))!);
}

function linkOf(body: string, text: string): string | undefined {
  return new RegExp(`<a href="([^"]*)">${text}</a>`).exec(body)?.[1]?.replaceAll("&amp;", "&");
}

Deno.test("page: without gangs it says what a gang is", async () => {
  await using service = new Service();
  const { status, type, body } = await service.request("/page");
  assertEquals([status, type], [200, "text/html; charset=UTF-8"]);
  assertStringIncludes(body, "No gang yet");
  assertEquals((await service.fetch("/")).headers.get("location"), "/page");
});

Deno.test("page: the queue in its order, each gang with its place and what it waits for, and the others beside it", async () => {
  await using service = new Service();
  for (
    const parts of [
      { name: "young", createdAt: at(-1), minMember: 3, pending: 1 },
      { name: "old", createdAt: at(-9), minMember: 2, pending: 2 },
      { name: "urgent", createdAt: at(0), priority: 9, pending: 1 },
      { name: "runs", createdAt: at(-99), minMember: 2, running: 2 },
    ]
  ) await service.post("/v1/prefilter", facts(parts));
  const { body } = await service.request("/page");
  assertEquals(rowsOf(body).map((cells) => cells.toSpliced(-2, 1)), [
    ["1", "default/urgent", "Scheduling", "0 of 1", "priority 9", "may be scheduled"],
    ["2", "default/old", "Scheduling", "0 of 2", "priority 0", "may be scheduled"],
    [
      "3",
      "default/young",
      "Pending",
      "0 of 3",
      "priority 0",
      "has 1 of 3 members: waiting for 2 more pods to be created",
    ],
    ["default/runs", "Running", "2 of 2", "is satisfied"],
  ]);
  const counts = [...body.matchAll(/<strong>(\d+)<\/strong>/g)].map(([, count]) => Number(count));
  assertEquals(counts, [1, 2, 1, 0, 0]);
  assertEquals(namesOf((await service.request("/page?phase=Scheduling")).body), [
    "default/old",
    "default/urgent",
  ]);
});

Deno.test("page: a gang that changes its phase is counted anew, and one that is gone not at all", async () => {
  await using service = new Service();
  const counted = async () =>
    [...(await service.request("/page")).body.matchAll(/<strong>(\d+)/g)].map(([, count]) => count)
      .join("");
  await service.post("/v1/prefilter", facts({ minMember: 2, pending: 1 }));
  assertEquals(await counted(), "10000");
  await service.post("/v1/prefilter", facts({ minMember: 2, running: 2 }));
  assertEquals(await counted(), "00100");
  const lost = [{ pod: { namespace: "default", name: "a", uid: "a" }, cause: "gone" }];
  await service.post("/v1/unreserve", { ...facts(), lost });
  assertEquals(await counted(), "00000");
});

Deno.test("page: resources as they were told last, and how they were", async () => {
  await using service = new Service();
  assert(!(await service.request("/page")).body.includes("Resources"));
  const told = (bound: number, held: number) => [
    { name: "memory", allocatable: 3 * 2 ** 30, bound: 2 ** 29, held: 0 },
    { name: "cpu", allocatable: 8000, bound: 1500, held: 250 },
    { name: `<b>"gpu`, allocatable: 8, bound, held },
    { name: "ephemeral-storage", allocatable: 9, bound: 0, held: 0 },
  ];
  const together = { minMember: 2, createdAt: at(0) };
  const waiting = facts({ ...together, pending: 2 });
  await service.post("/v1/prefilter", { ...waiting, resources: told(2, 0) });
  const held = { ...together, held: 1, pending: 1 };
  await service.post("/v1/permit", { ...facts(held), resources: told(2, 1) });
  // A wait that has just begun is told with the next call: until then gang and resources are shown as they were.
  const before = (await service.request("/page")).body;
  assert(before.includes("running 2, held 0") && !before.includes("held 1"));
  await service.post("/v1/permit", { ...facts(held), resources: told(2, 1) });
  const { body } = await service.request("/page");
  const charts = [...body.matchAll(/<li class="chart">[^]*?<\/li>/g)].map(([chart]) =>
    chart.replace(/<title>.*?<\/title>|<[^>]*>/g, " ").replace(/\s+/g, " ").trim()
  );
  assertEquals(charts, [
    "&lt;b&gt;&quot;gpu of 8 8 0 5 min ago now running 2 held 1 free 5",
    "cpu of 8 8 0 5 min ago now running 1.5 held 0.3 free 6.3",
    "memory of 3 GiB 3 GiB 0 5 min ago now running 512 MiB held 0 B free 2.5 GiB",
  ]);
  assertMatch(
    body,
    /<title>\d\d:\d\d:\d\d to \d\d:\d\d:\d\d UTC: running 2, held 1, free 5<\/title>/,
  );
  assertMatch(body, /aria-label="&lt;b&gt;&quot;gpu: running 2, held (0 to )?1, of 8"/);
  const bad = await service.post("/v1/permit", {
    ...facts({ held: 1 }),
    resources: [{ name: "cpu", allocatable: -1, bound: 0, held: 0 }],
  });
  assertEquals([bad.status, bad.body.errors[0].path], [400, "resources[0].allocatable"]);
});

Deno.test("page: long lists come in parts that add up", async () => {
  await using service = new Service();
  const names = (start: string) =>
    Array.from({ length: 130 }, (_, index) => `${start}-${String(index).padStart(3, "0")}`);
  for (const name of names("queued")) {
    await service.post("/v1/prefilter", facts({ name, pending: 1 }));
  }
  for (const name of names("runs")) {
    await service.post("/v1/prefilter", facts({ name, running: 1 }));
  }
  const first = (await service.request("/page")).body;
  const places = (await service.request(linkOf(first, "Later places")!)).body;
  const others = (await service.request(linkOf(first, "More gangs")!)).body;
  const queue = (body: string) => namesOf(body).filter((name) => name.includes("queued"));
  const rest = (body: string) => namesOf(body).filter((name) => name.includes("runs"));
  assertEquals(
    [...queue(first), ...queue(places)],
    names("queued").map((name) => `default/${name}`),
  );
  assertEquals([...rest(first), ...rest(others)], names("runs").map((name) => `default/${name}`));
  assertEquals(linkOf(places, "Later places"), undefined);
  assertEquals(linkOf(places, "Earlier places"), "/page");
  assertEquals(rowsOf(places)[0]![0], "101");
  // Addresses that mean nothing are answered like the plain one.
  for (
    const query of ["from=-1", "from=x", "from=0x1", "phase=Nothing", `after=${"x".repeat(600)}`]
  ) {
    assertEquals(namesOf((await service.request(`/page?${query}`)).body), namesOf(first), query);
  }
});

Deno.test("page: a gang's story has its sentence, what helps, its facts, and its decisions, newest first", async () => {
  await using service = new Service();
  await service.post("/v1/prefilter", facts({ name: "ahead", pending: 1, createdAt: at(-99) }));
  await service.post("/v1/prefilter", facts({ minMember: 3, pending: 3, priority: 0 }));
  await service.post("/v1/permit", facts({ minMember: 3, held: 1, pending: 2 }));
  const { status, body } = await service.request("/page/gangs/default/a");
  assertEquals(status, 200);
  const text = body.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  for (
    const said of [
      "WaitingForMembers",
      "gang default/a holds 1 member and waits for 2 more to find a node",
      "What helps: look at the members without a node, until the deadline",
      "1 of 3",
      "2 pending, 1 held",
      "2, behind default / ahead",
      "Deadline",
    ]
  ) assertStringIncludes(text, said);
  const decisions = [...body.matchAll(/<strong>(\w+)<\/strong> by (\w+)/g)].map(([all]) =>
    all.replace(/<[^>]*>/g, "")
  );
  assertEquals(decisions, ["wait by permit", "allow by prefilter"]);
});

Deno.test("page: gangs of a namespace, and those whose name has a text in it, with their places among all", async () => {
  await using service = new Service();
  for (const [index, name] of ["train-a", "serve", "Train-b"].entries()) {
    for (const namespace of ["a", "a-b", "b"]) {
      const createdAt = at(index);
      await service.post("/v1/prefilter", facts({ namespace, name, createdAt, pending: 1 }));
    }
  }
  await service.post("/v1/prefilter", facts({ namespace: "a", name: "runs", running: 1 }));
  const shown = async (query: string) =>
    rowsOf((await service.request(`/page?${query}`)).body).map((cells) =>
      cells.slice(0, cells.length > 5 ? 2 : 1).join(" ")
    );
  const tests: [query: string, rows: string[]][] = [
    ["namespace=a", ["2 a/train-a", "5 a/serve", "8 a/Train-b", "a/runs"]],
    ["search=TRAIN", [
      "1 a-b/train-a",
      "2 a/train-a",
      "3 b/train-a",
      "7 a-b/Train-b",
      "8 a/Train-b",
      "9 b/Train-b",
    ]],
    ["namespace=b&search=train-b", ["9 b/Train-b"]],
    ["namespace=a&phase=Running", ["a/runs"]],
    ["search=b%2Ft&from=1", ["3 b/train-a", "7 a-b/Train-b", "9 b/Train-b"]],
    ["namespace=%25", []],
    ["search=_", []],
  ];
  for (const [query, rows] of tests) assertEquals(await shown(query), rows, query);
  const { body } = await service.request("/page?namespace=a&search=train");
  assertEquals([...body.matchAll(/<strong>(\d+)/g)].map(([, count]) => count).join(""), "02000");
  assertEquals([...body.matchAll(/<option value="([^"]*)"/g)].map(([, name]) => name), [
    "",
    "a",
    "a-b",
    "b",
  ]);
  assertMatch(body, /<option value="a"\s+selected\s*>/);
  assertMatch(body, /href="\/page\?phase=Running&amp;namespace=a&amp;search=train"/);
});

Deno.test("page: a gang for which there is too little room says for how many there is some", async () => {
  await using service = new Service();
  const fit = { members: 2, of: 6, shortOf: "cpu" };
  await service.post("/v1/prefilter", { ...facts({ minMember: 6, pending: 6 }), fit });
  const { body } = await service.request("/page");
  assertEquals(rowsOf(body)[0]![3], "room for 2 of 6");
});

Deno.test("page: a gang that is gone is shown as ended, with its story, and before the next of its name", async () => {
  await using service = new Service();
  await service.post("/v1/prefilter", facts({ minMember: 2, running: 2 }));
  const lost = [{ pod: { namespace: "default", name: "a", uid: "a" }, cause: "gone" }];
  const preempted = { members: 2, by: "gang default/high of higher priority" };
  const [gone] = facts({ minMember: 2 }).gangs;
  const relay = { id: "relay", epoch: ++epoch };
  await service.post("/v1/unreserve", { relay, gangs: [{ ...gone, preempted }], lost });
  const how = "ended: 2 members were preempted by gang default/high of higher priority";
  const { body } = await service.request("/page");
  assertEquals(rowsOf(body).map((cells) => cells.at(-1)), [how]);
  const textOf = async () =>
    (await service.request("/page/gangs/default/a")).body.replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " ");
  const ended = await textOf();
  for (const said of [`gang default/a ${how}`, "is satisfied", "allow by prefilter"]) {
    assertStringIncludes(ended, said);
  }
  assertEquals(ended.includes("Before"), false);
  await service.post("/v1/prefilter", facts({ minMember: 2, pending: 1 }));
  assertStringIncludes(
    await textOf(),
    `Before Gangs of the same name that are gone, the newest first. 0 s ago gang default/a ${how}`,
  );
});

Deno.test("page: a gang or a path that does not exist is a 404 document", async () => {
  await using service = new Service();
  for (const path of ["/page/gangs/default/a", "/page/nothing"]) {
    const { status, type, body } = await service.request(path);
    assertEquals([status, type], [404, "text/html; charset=UTF-8"]);
    assertMatch(body, /<h1>(Gang n|N)ot found<\/h1>/);
  }
});

const hostile = [
  `<script>alert(1)</script>`,
  `"onmouseover="alert(1)`,
  `'><img src=x onerror=alert(1)>`,
  "&lt;b&gt;",
  "javascript:alert(1)",
  "‮gnp.exe",
  "a?b#c%2e/../..",
  "x".repeat(253),
];

for (const text of hostile) {
  Deno.test(`page: the text ${JSON.stringify(text.slice(0, 40))} is shown as it is, and nothing else`, async () => {
    await using service = new Service();
    await service.post("/v1/prefilter", troubled(text));
    const escaped = text.replace(/[&<>"']/g, (sign) => `&${entities[sign]};`);
    const story = await service.request("/page/gangs/n/x");
    assertEquals(story.status, 200);
    for (const { body } of [await service.request("/page"), story]) {
      assertStringIncludes(body, escaped);
      if (escaped !== text) assert(!body.includes(text));
    }
    assertEquals(tagsOf(story.body), tagsOf(await plainStory()));
  });
}

/** A gang whose pods say something wrong. */
function troubled(message: string) {
  const problem = { reason: "InvalidMinMember", message };
  return facts({ name: "x", namespace: "n", minMember: 2, pending: 1, problem });
}

const entities: Record<string, string> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "#39",
};

/** What a document consists of, without its texts and the values of attributes. */
function tagsOf(body: string): string[] {
  return [...body.replaceAll(/"[^"]*"/g, '""').matchAll(/<[^>]*>/g)].map(([tag]) => tag);
}

async function plainStory(): Promise<string> {
  await using service = new Service();
  await service.post("/v1/prefilter", troubled("plain"));
  return (await service.request("/page/gangs/n/x")).body;
}

Deno.test("page: no document lets in a script, a style or a frame that is not its own, or is kept", async () => {
  await using service = new Service();
  for (const path of ["/page", "/page/nodes", "/page/gangs/default/a", "/page/nothing"]) {
    const { headers } = await service.fetch(path);
    assertEquals(
      headers.get("content-security-policy"),
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    assertEquals(headers.get("cache-control"), "no-store");
    assertEquals(headers.get("x-content-type-options"), "nosniff");
    assertEquals(headers.get("referrer-policy"), "no-referrer");
    assertEquals(headers.get("access-control-allow-origin"), null);
  }
  const { body } = await service.request("/page");
  assertEquals(body.match(/<style|style=|<script>|\son\w+=/g), null);
});

Deno.test("page: its files are sent again only when they have changed", async () => {
  await using service = new Service();
  const files = { "style.css": "text/css", "live.js": "text/javascript", "icon.svg": "image/svg" };
  for (const [name, type] of Object.entries(files)) {
    const first = await service.fetch(`/page/${name}`);
    assertStringIncludes(first.headers.get("content-type")!, type);
    const tag = first.headers.get("etag")!;
    const second = await service.fetch(`/page/${name}`, { headers: { "if-none-match": tag } });
    assertEquals([first.status, second.status], [200, 304]);
  }
});
