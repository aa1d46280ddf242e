import { assertEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { KubeConfig } from "@kubernetes/client-node";
import type { Fetch } from "../../relay/kube/fetch.ts";
import { apiPath, KubeApi } from "../../relay/kube/kube_api.ts";
import { openWatch } from "../../relay/kube/kube_watch.ts";

/** Longer than any part of the relay keeps a credential that it has read. */
const soonMs = 100_000;

Deno.test("a ServiceAccount's token that was replaced is what calls and the next watch carry", async () => {
  using time = new FakeTime();
  const path = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(path, "first");
    const sent: string[] = [];
    const answered: Fetch = (url, { headers }) => {
      const token = new Headers(headers).get("authorization");
      sent.push(`${url.includes("watch=true") ? "watch" : "call"}: ${token}`);
      return Promise.resolve(Response.json({ items: [] }));
    };
    const api = new KubeApi(configWith(path), answered);
    const useAll = async () => {
      await api.list("/api/v1/pods");
      const watch = openWatch(api, {
        path: "/api/v1/pods",
        resourceVersion: "1",
        told: () => {},
      });
      await watch.ended.catch(() => {});
    };
    await useAll();
    await Deno.writeTextFile(path, "second");
    await time.tickAsync(soonMs);
    await useAll();
    assertEquals(sent, [
      "call: Bearer first",
      "watch: Bearer first",
      "call: Bearer second",
      "watch: Bearer second",
    ]);
  } finally {
    await Deno.remove(path);
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

/** As it is loaded within a cluster. */
function configWith(tokenFile: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: "c", server: "https://127.0.0.1", skipTLSVerify: false }],
    users: [{ name: "u", authProvider: { name: "tokenFile", config: { tokenFile } } }],
    contexts: [{ name: "x", cluster: "c", user: "u" }],
    currentContext: "x",
  });
  return config;
}
