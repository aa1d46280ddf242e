import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { ServedKinds } from "../../shared/client/served_kinds.ts";

const discoverMs = 5000;

/** An API server that serves kinds of group example.com, each with one object; those that are ill can not be listed. */
async function withKinds(
  body: (world: {
    kinds: ServedKinds;
    served: Set<string>;
    ill: Set<string>;
    heard: string[];
    failed: string[];
    pass: (ms: number) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  using time = new FakeTime();
  const [served, ill] = [new Set(["as", "bs"]), new Set<string>()];
  const heard: string[] = [];
  const failed: string[] = [];
  const answer = (url: URL): Response => {
    const [plural = ""] = /[^/]*$/.exec(url.pathname) ?? [];
    if (url.pathname === "/apis") {
      return Response.json({ groups: [{ name: "example.com", versions: [{ version: "v1" }] }] });
    }
    if (plural === "v1") return Response.json({ resources: [...served].map((name) => ({ name })) });
    if (ill.has(plural)) return new Response("its webhook is away", { status: 500 });
    if (url.searchParams.has("watch")) return new Response(new ReadableStream());
    const metadata = { uid: plural, namespace: "default", name: plural, resourceVersion: "1" };
    return Response.json({ metadata: { resourceVersion: "1" }, items: [{ metadata }] });
  };
  const connection = { server: "https://api.test", credentials: () => Promise.resolve({}) };
  const api = new KubeApi(connection, (input) => Promise.resolve(answer(new URL(String(input)))));
  const kinds = new ServedKinds({ api, watchApi: api }, {
    kinds: ["as", "bs"].map((plural) => ({
      group: "example.com",
      plural,
      versions: ["v1"],
      changed: ({ metadata }) => heard.push(`${metadata.name} came`),
      deleted: ({ metadata }) => heard.push(`${metadata.name} went`),
    })),
    reports: (kind) => ({ failed: () => failed.push(kind), relisted: () => {} }),
  });
  const pass = async (ms: number) => {
    await time.tickAsync(ms);
    await time.runMicrotasks();
  };
  try {
    await body({ kinds, served, ill, heard, failed, pass });
  } finally {
    kinds.stop();
  }
}

Deno.test("served kinds: one that can not be listed keeps nobody else, neither at the start nor later", () =>
  withKinds(async ({ kinds, served, ill, heard, failed, pass }) => {
    ill.add("as");
    let isStarted = false;
    const start = kinds.start().then(() => isStarted = true);
    await pass(1000);
    assertEquals([isStarted, heard, failed[0]], [false, ["bs came"], "as.example.com"]);
    await pass(60_000);
    assertEquals(isStarted, true);
    await start;
    served.delete("bs");
    await pass(3 * discoverMs);
    assertEquals(heard, ["bs came", "bs went"]);
    ill.delete("as");
    await pass(discoverMs);
    assertEquals(heard, ["bs came", "bs went", "as came"]);
  }));

Deno.test("served kinds: one that an API server does not know for a moment is not gone", () =>
  withKinds(async ({ kinds, served, heard, pass }) => {
    const start = kinds.start();
    await pass(0);
    await start;
    assertEquals(heard, ["as came", "bs came"]);
    for (let time = 0; time < 3; time++) {
      served.delete("as");
      await pass(discoverMs);
      served.add("as");
      await pass(discoverMs);
    }
    assertEquals(heard, ["as came", "bs came"]);
    served.delete("as");
    await pass(2 * discoverMs);
    assertEquals(heard, ["as came", "bs came", "as went"]);
  }));
