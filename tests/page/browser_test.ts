import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { noMembers } from "../../shared/core/gang/facts.ts";
import { accessibilityProblems } from "./browser.ts";
import { browserTests, live, screenshot } from "./browser_visit.ts";
import { mapOf, tell, tellMany } from "./gangs.ts";

const browserTest = browserTests();

browserTest(
  "a gang that comes and changes is shown without a reload, and focus stays",
  async ({ server, open, problems }) => {
    const page = await open("/page");
    await page.waitForSelector(live);
    await tell(server, { name: "first", minMember: 3, pending: 1 });
    await page.waitForSelector("text=waiting for 2 more pods");
    await page.evaluate(
      "document.querySelector('main').dataset.kept = 'yes'; globalThis.kept = true",
    );
    const link = page.getByRole("link", { name: "default/first" });
    await link.focus();
    await tell(server, { name: "second", minMember: 1, pending: 1, priority: 5 });
    await page.waitForSelector("text=default/second");
    await tell(server, { name: "first", minMember: 3, running: 3 });
    await page.getByRole("row", { name: /default\/first Running 3 of 3/ }).waitFor();
    assertEquals(await page.evaluate("globalThis.kept"), true);
    await link.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "default/first", level: 1 }).waitFor();
    await page.waitForSelector(live);
    await tell(server, { name: "first", minMember: 3, running: 2 });
    await page.waitForSelector("text=Degraded");
    assertEquals(problems, []);
  },
);

browserTest(
  "the focused gang keeps the focus while its row moves and changes",
  async ({ server, open }) => {
    await tell(server, { name: "a", minMember: 4, pending: 1 });
    const page = await open("/page");
    await page.waitForSelector(live);
    await page.getByRole("link", { name: "default/a" }).focus();
    await tell(server, { name: "urgent", minMember: 2, pending: 1, priority: 9 });
    await tell(server, { name: "a", minMember: 4, pending: 3 });
    await page.getByRole("row", { name: /^2 default\/a .* has 3 of 4/ }).waitFor();
    const focused = await page.evaluate("document.activeElement.textContent");
    assertEquals(focused, "default/a");
  },
);

browserTest(
  "the focused gang keeps the focus while the first of the queue leaves, and while it goes before others",
  async ({ server, open }) => {
    const waiting = { minMember: 4, pending: 4 };
    await tell(server, { ...waiting, name: "first", priority: 9 });
    for (const name of ["a", "b", "c"]) await tell(server, { ...waiting, name });
    const page = await open("/page");
    await page.waitForSelector(live);
    await page.getByRole("link", { name: "default/c" }).focus();
    await page.evaluate(
      "globalThis.blurs = 0; document.activeElement.addEventListener('blur', () => blurs++)",
    );
    const focused = () => page.evaluate("document.activeElement.textContent");
    await tell(server, { name: "first", minMember: 4, running: 4 });
    await page.getByRole("row", { name: /^3 default\/c/ }).waitFor();
    assertEquals([await focused(), await page.evaluate("blurs")], ["default/c", 0]);
    await tell(server, { ...waiting, name: "c", priority: 9 });
    await page.getByRole("row", { name: /^1 default\/c/ }).waitFor();
    assertEquals(await focused(), "default/c");
  },
);

browserTest(
  "a thousand gangs, no gang, one gang and none of that name: accessible, and no wider than the window",
  async ({ server, open }) => {
    const paths = ["/page"];
    const look = async () => {
      for (const path of paths) {
        for (const colorScheme of ["light", "dark"] as const) {
          for (const width of [1400, 1000, 390]) {
            const page = await open(path, { colorScheme, viewport: { width, height: 900 } });
            await page.waitForSelector(live);
            const about = `${path} ${colorScheme} ${width}`;
            assertEquals(await accessibilityProblems(page), [], about);
            assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width, about);
            await screenshot(page, about);
            await page.close();
          }
        }
      }
    };
    await look();
    await tellMany(server, 1000);
    const name = "W".repeat(253);
    const pod = (uid: string) => ({
      name: `${uid}${name}`.slice(0, 253),
      uid,
      requests: { gpu: 8 },
    });
    const [node, domain] = ["n".repeat(253), `rack ${"r".repeat(63)}`];
    const pods = [
      { ...pod("1"), node, domain, state: "running" },
      { ...pod("2"), planned: node, domain, state: "held" },
      { ...pod("3"), planned: "n2", domain, state: "pending" },
    ];
    await tell(server, { namespace: "a", name, minMember: 3, pending: 1, priority: 999 }, {
      pods: { [`a/${name}`]: pods },
    });
    paths.push(`/page/gangs/a/${name}`, "/page/gangs/a/none");
    await look();
  },
);

const maps: [name: string, map: Parameters<typeof mapOf>[0]][] = [
  ["eighty nodes", { places: 80, isByNode: true }],
  ["a hundred domains", { places: 100, isByNode: false }],
  ["long names", { places: 9, isByNode: true, name: "w".repeat(240) }],
];

for (const [name, map] of maps) {
  browserTest(
    `the nodes of the cluster, ${name}: accessible, aligned, and no wider than the window`,
    async ({ server, open, problems }) => {
      await tell(server, { minMember: 2, pending: 1 }, { map: mapOf(map) });
      for (const width of [1400, 1000, 400]) {
        const colorScheme = width === 1000 ? "dark" : "light";
        const page = await open("/page/nodes", { colorScheme, viewport: { width, height: 900 } });
        await page.waitForSelector(live);
        const about = `${name} ${width}`;
        await screenshot(page, about);
        assertEquals(await accessibilityProblems(page), [], about);
        assertEquals(await page.evaluate("document.documentElement.scrollWidth"), width, about);
        const lefts = await page.evaluate(
          "[...document.querySelectorAll('h1, h2, .map, .scroll')].map((e) => e.getBoundingClientRect().left)",
        ) as number[];
        assertEquals(new Set(lefts).size, 1, about);
        assertEquals(await page.getByRole("row").count(), map.places + 1, about);
        await page.close();
      }
      assertEquals(problems, []);
    },
  );
}

browserTest("the nodes follow what is told, and are found from the resources", async (visit) => {
  const { server, open } = visit;
  const map = mapOf({ places: 2, isByNode: true });
  const resources = [{ name: "nvidia.com/gpu", allocatable: 16, bound: 4, held: 0 }];
  await tell(server, { minMember: 2, pending: 1 }, { map, resources });
  const page = await open("/page");
  await page.getByRole("link", { name: "Nodes, and who has them" }).click();
  await page.waitForSelector(live);
  const [first, ...rest] = map.places;
  const gangs = [{ gang: 1, bound: 8 }];
  const places = [{ ...first!, gangs }, ...rest];
  const at = new Date(Date.parse(map.at) + 1).toISOString();
  await tell(server, { minMember: 2, running: 2 }, { map: { ...map, at, places } });
  await page.getByRole("row", { name: /gpu-0 8 8 0 0 0 vision\/train-1 8 running/ }).waitFor();
});

browserTest("without JavaScript everything can be read", async ({ server, open, problems }) => {
  await tell(server, { minMember: 3, pending: 1 });
  const page = await open("/page", { javaScriptEnabled: false });
  await page.getByRole("link", { name: "default/a" }).click();
  await page.getByRole("heading", { name: "Decisions" }).waitFor();
  assertMatch(await page.innerText("main"), /has 1 of 3 members: waiting for 2 more pods/);
  assertMatch(await page.innerText("footer"), /Without JavaScript this page stays as it is/);
  assertEquals(problems, []);
});

browserTest("texts of users are shown and never run", async ({ server, open, problems }) => {
  const texts = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "‮evil",
    "</title><svg onload=alert(1)>",
  ];
  for (const [index, message] of texts.entries()) {
    const problem = { reason: "InvalidMinMember", message };
    await tell(server, { namespace: "n", name: `x${index}`, minMember: 2, pending: 1, problem });
  }
  const page = await open("/page");
  await page.waitForSelector(live);
  assertEquals(await page.getByRole("row").count(), texts.length + 1);
  for (const [index, text] of texts.entries()) {
    await page.goto(`${server.url}/page`);
    await page.getByRole("link", { name: `n/x${index}` }).click();
    await page.waitForURL(/\/page\/gangs\//);
    await page.waitForSelector(live);
    assertStringIncludes(await page.innerText("main"), text);
  }
  assertEquals(problems, []);
});

browserTest(
  "while the store is down it says so and keeps what it shows, and goes on by itself",
  async ({ server, open }) => {
    await tell(server, { minMember: 3, pending: 1 });
    const page = await open("/page");
    await page.waitForSelector(live);
    server.isStoreDown = true;
    await page.waitForSelector("#live.off");
    assertMatch(await page.innerText("main"), /waiting for 2 more pods/);
    const other = await open("/page");
    assertMatch(await other.innerText("main"), /Store not available/);
    await other.waitForSelector("#live.off");
    assertEquals(await accessibilityProblems(other), []);
    await screenshot(other, "broken");
    await screenshot(page, "broken while open");
    server.isStoreDown = false;
    await tell(server, { minMember: 3, pending: 2 });
    for (const each of [page, other]) await each.waitForSelector("text=waiting for 1 more pod");
  },
);

browserTest(
  "the keyboard leads to the content, the phases and the gangs",
  async ({ server, open }) => {
    await tell(server, { minMember: 3, pending: 1 });
    const page = await open("/page");
    const seen = [];
    for (let press = 0; press < 11; press++) {
      await page.keyboard.press("Tab");
      seen.push(await page.evaluate("document.activeElement.textContent.trim().split(/\\s+/)[0]"));
    }
    assertEquals(seen, [
      "Skip",
      "Muster",
      "Pending",
      "Scheduling",
      "Running",
      "Finished",
      "Failed",
      "all",
      "",
      "Show",
      "default/a",
    ]);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "default/a", level: 1 }).waitFor();
  },
);

browserTest(
  "a search by namespace and name stays while the gangs that it finds change",
  async ({ server, open }) => {
    for (const namespace of ["speech", "vision"]) {
      for (const name of ["train-1", "train-2", "serve"]) {
        await tell(server, { namespace, name, minMember: 2, pending: 2 });
      }
    }
    const page = await open("/page");
    await page.getByLabel("Namespace").selectOption("vision");
    await page.getByLabel("Name", { exact: true }).fill("Train");
    await page.keyboard.press("Enter");
    await page.waitForSelector(live);
    await tell(server, { namespace: "vision", name: "train-2", minMember: 3, pending: 2 });
    await page.waitForSelector("text=waiting for 1 more pod");
    const rows = page.getByRole("row");
    assertEquals(
      (await rows.allInnerTexts()).slice(1).map((text) => text.split(/\s+/).slice(0, 2)),
      [["5", "vision/train-1"], ["6", "vision/train-2"]],
    );
    await screenshot(page, "search");
    await page.getByRole("link", { name: "All gangs" }).click();
    await page.getByRole("link", { name: "speech/serve" }).waitFor();
  },
);

browserTest("a gang that is gone stays readable", async ({ server, open }) => {
  const named = { namespace: "n", name: "a", minMember: 2 };
  await tell(server, { ...named, running: 2 });
  const page = await open("/page/gangs/n/a");
  await page.waitForSelector(live);
  const pod = { namespace: "n", name: "a", uid: "n/a" };
  const gone = { lost: [{ pod, cause: "gone" }] };
  await tell(server, named, { stage: "unreserve", ...gone });
  await page.waitForSelector("text=ended while it ran");
  await page.getByRole("link", { name: "Gangs" }).click();
  await page.getByRole("row", { name: /n\/a Running .* ended while it ran/ }).waitFor();
  assertEquals(await accessibilityProblems(page), []);
  await screenshot(page, "ended");
});

const token = "t".repeat(40);

browserTest(
  "signing in leads to where one wanted to go, and out again",
  async ({ server, open }) => {
    const headers = { authorization: `Bearer ${token}` };
    await server.post("/v1/prefilter", {
      relay: { id: "r", epoch: 1 },
      gangs: [{
        gang: { namespace: "n", name: "a", minMember: 3, createdAt: new Date().toISOString() },
        census: { ...noMembers, pending: 1 },
        held: [],
      }],
    }, headers);
    const page = await open("/page/gangs/n/a");
    await page.getByLabel("Token").fill("wrong");
    assertEquals(await accessibilityProblems(page), []);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    assertEquals(await accessibilityProblems(page), []);
    await screenshot(page, "sign in");
    await page.getByLabel("Token").fill(token);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "n/a", level: 1 }).waitFor();
    await page.waitForSelector(live);
    assertEquals(await page.evaluate("document.cookie"), "");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token").waitFor();
    await page.goto(`${server.url}/page`);
    assert(await page.getByLabel("Token").isVisible());
  },
  { MUSTER_TOKENS: JSON.stringify({ east: [token] }) },
);
