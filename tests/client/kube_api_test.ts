import { assertEquals, assertThrows } from "@std/assert";
import { join } from "node:path";
import { FakeTime } from "@std/testing/time";
import { podConnection } from "../../shared/client/connection.ts";
import type { Fetch } from "../../shared/client/fetch.ts";
import { KubeApi } from "../../shared/client/kube_api.ts";
import { apiPath } from "../../shared/kubernetes/api_path.ts";
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
