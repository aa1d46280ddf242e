import { assertEquals, assertThrows } from "@std/assert";
import { join } from "node:path";
import { FakeTime } from "@std/testing/time";
import { podConnection } from "../../shared/client/connection.ts";
import type { Fetch } from "../../shared/client/fetch.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { apiPath } from "../../shared/kubernetes/api_path.ts";
import type { Pod } from "../../shared/kubernetes/types.ts";
import { openWatch } from "../../shared/client/kube_watch.ts";
import { connection } from "../property/histories/model_api.ts";
import { serviceAccountFolder } from "../support/service_account_folder.ts";

/** Longer than any part of the relay keeps a credential that it has read. */
const soonMs = 100_000;

Deno.test("a ServiceAccount's token that was replaced is what calls and the next watch carry", async () => {
  using time = new FakeTime();
  const path = await serviceAccountFolder({ token: "first" });
  try {
    const sent: string[] = [];
    const answered: Fetch = (url, { headers }) => {
      const token = new Headers(headers).get("authorization");
      sent.push(`${url.includes("watch=true") ? "watch" : "call"}: ${token}`);
      return Promise.resolve(Response.json({ metadata: {}, items: [] }));
    };
    const api = new KubeApi(await podConnection(path), answered);
    const useAll = async () => {
      await api.list("/api/v1/pods");
      const watch = openWatch(api, {
        path: "/api/v1/pods",
        resourceVersion: "1",
        heard: () => {},
      });
      await watch.ended.catch(() => {});
    };
    await useAll();
    await Deno.writeTextFile(join(path, "token"), "second\n");
    await time.tickAsync(soonMs);
    await useAll();
    assertEquals(sent, [
      "call: Bearer first",
      "watch: Bearer first",
      "call: Bearer second",
      "watch: Bearer second",
    ]);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
});

Deno.test("what stands in a path is one segment of it, whatever it holds", () => {
  const namespace = "a/../b?c#d%2e é";
  const path = apiPath`/api/v1/namespaces/${namespace}/pods/${"x.y"}`;
  const { pathname, search, hash } = new URL(path, "https://127.0.0.1");
  assertEquals([search, hash], ["", ""]);
  assertEquals(pathname.split("/").map(decodeURIComponent), [
    ..."/api/v1/namespaces".split("/"),
    namespace,
    "pods",
    "x.y",
  ]);
  for (const segment of ["", ".", ".."]) {
    assertThrows(
      () => apiPath`/api/v1/namespaces/${segment}/pods`,
      TypeError,
      `"${segment}" names`,
    );
  }
});

Deno.test("a list is read in pages, and is as new as its last one says, without what nobody reads", async () => {
  const asked: string[] = [];
  const items = ["a", "b", "c"].map((name) => ({ metadata: { name, managedFields: [{}] } }));
  const answered: Fetch = (url) => {
    const { searchParams } = new URL(url);
    asked.push(`${searchParams.get("limit")} ${searchParams.get("continue")}`);
    const from = Number(searchParams.get("continue") ?? 0);
    const more = from + 1 < items.length && { continue: String(from + 1) };
    const metadata = { resourceVersion: "7", ...more };
    return Promise.resolve(Response.json({ metadata, items: items.slice(from, from + 1) }));
  };
  const list = await new KubeApi({ ...connection, server: "https://127.0.0.1" }, answered).list(
    "/api/v1/pods",
  );
  assertEquals(asked, ["500 null", "500 1", "500 2"]);
  assertEquals(list.metadata.resourceVersion, "7");
  assertEquals(
    JSON.stringify(list.items),
    JSON.stringify(["a", "b", "c"].map((name) => ({ metadata: { name } }))),
  );
});

/** Of each object that is not small. */
const mega = 2 ** 20;

const pages: readonly (readonly [
  what: string,
  bytes: readonly number[],
  asked: readonly string[],
])[] = [
  ["small objects come in full pages", Array(1200).fill(10), ["500@0", "500@500", "500@1000"]],
  [
    "fewer large objects are asked for at a time",
    Array(20).fill(1.4 * mega),
    ["500@0", "250@0", "125@0", "62@0", "31@0", "15@0", "7@0", "7@7", "7@14"],
  ],
  ["an object that is larger than a page is read", [5, 20 * mega, 5], [
    ...[
      "500@0",
      "250@0",
      "125@0",
      "62@0",
      "31@0",
      "15@0",
      "7@0",
      "3@0",
      "1@0",
      "2@1",
      "1@1",
      "2@2",
    ],
  ]],
  [
    "pages grow again behind large objects",
    [...Array(12).fill(1.4 * mega), ...Array(30).fill(10)],
    ["500@0", "250@0", "125@0", "62@0", "31@0", "15@0", "7@0", "7@7", "7@14", "14@21", "28@35"],
  ],
];

for (const [what, bytes, expected] of pages) {
  Deno.test(`a list is read in pages: ${what}`, async () => {
    const asked: string[] = [];
    const sent: number[] = [];
    const answered: Fetch = (url) => {
      const { searchParams } = new URL(url);
      const from = Number(searchParams.get("continue") ?? 0);
      const limit = Number(searchParams.get("limit"));
      const to = Math.min(from + limit, bytes.length);
      asked.push(`${limit}@${from}`);
      const page = asked.length - 1;
      sent.push(0);
      const metadata = { resourceVersion: "7", ...(to < bytes.length && { continue: `${to}` }) };
      function* parts() {
        yield `{"metadata":${JSON.stringify(metadata)},"items":[`;
        for (let at = from; at < to; at++) {
          sent[page]! += bytes[at]!;
          const env = [{ name: "A", value: "x".repeat(bytes[at]!) }];
          const pod = { metadata: { name: `p${at}` }, spec: { containers: [{ name: "c", env }] } };
          yield (at > from ? "," : "") + JSON.stringify(pod);
        }
        yield "]}";
      }
      const body = ReadableStream.from(parts()).pipeThrough(new TextEncoderStream());
      return Promise.resolve(new Response(body));
    };
    const api = new KubeApi({ ...connection, server: "https://127.0.0.1" }, answered);
    const { items } = await api.list<Pod>("/api/v1/pods");
    assertEquals(items.map(({ metadata }) => metadata.name), bytes.map((_, at) => `p${at}`));
    assertEquals(asked, expected);
    assertEquals(sent.filter((each) => each > 24 * mega), []);
  });
}
