import { assertEquals, assertMatch } from "@std/assert";
import { connect, type Socket } from "node:net";
import { Hono } from "hono";
import { networkOf, serveHealth } from "../../cli/health_server.ts";

const app = new Hono()
  .get("/healthz", (c) => c.text("ok"))
  .get("/readyz", (c) => c.text("the functions do not answer", 503))
  .post("/extender/bind", (c) => c.text("bound"));

/** What a connection is answered until the server ends it. */
async function said(port: number, text: string): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(text));
  let answer = "";
  const buffer = new Uint8Array(1024);
  for (let read; (read = await connection.read(buffer)) !== null;) {
    answer += new TextDecoder().decode(buffer.subarray(0, read));
  }
  return answer;
}

Deno.test("health server: health is answered, and nothing else", async () => {
  const server = await serveHealth({ hostname: "127.0.0.1", port: 0 }, app);
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
    return [response.status, await response.text()];
  };
  assertEquals(await ask("/healthz?from=kubelet"), [200, "ok"]);
  assertEquals(await ask("/readyz"), [503, "the functions do not answer"]);
  for (const path of ["/metrics/", "/v1/gangs", "/extender/bind", "/"]) {
    assertEquals(await ask(path), [404, "Not Found"], path);
  }
  assertEquals(await ask("/extender/bind", { method: "POST", body: "{}" }), [404, "Not Found"]);
  await server.shutdown();
});

Deno.test("health server: without an address it is reached by IPv4 and, where there is that, by IPv6", async () => {
  const server = await serveHealth({ port: 0 }, app);
  const families = new Set(Deno.networkInterfaces().map(({ family }) => family));
  for (const family of families) {
    const host = family === "IPv6" ? "[::1]" : "127.0.0.1";
    const response = await fetch(`http://${host}:${server.port}/healthz`);
    assertEquals(await response.text(), "ok", family);
  }
  await server.shutdown();
});

Deno.test("health server: a connection whose request does not come is ended", async () => {
  const server = await serveHealth({ hostname: "127.0.0.1", port: 0 }, app);
  const half = "GET /healthz HTTP/1.1\r\nhost: a\r\nx: ";
  for (const answer of await Promise.all(["", half].map((text) => said(server.port, text)))) {
    assertMatch(answer, /^HTTP\/1\.1 408 /);
  }
  await server.shutdown();
});

/** A connection with half a request. */
async function half(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, localAddress }).on("error", () => {});
  await new Promise((opened) => socket.once("connect", opened));
  socket.write("GET /healthz HTTP/1.1\r\n");
  return socket;
}

async function closeAll(sockets: readonly Socket[]): Promise<void> {
  for (const socket of sockets) {
    if (!socket.closed) await new Promise((closed) => socket.once("close", closed).destroy());
  }
}

const holders: [who: string, addresses: number, each: number][] = [
  ["one neighbour keeps", 1, 300],
  ["many neighbours keep", 30, 10],
];

for (const [who, addresses, each] of holders) {
  Deno.test(`health server: kubelet is answered whatever ${who} open`, async () => {
    const server = await serveHealth({ hostname: "127.0.0.1", port: 0 }, app);
    const { port } = server;
    const sockets: Socket[] = [];
    for (let count = 0; count < addresses * each; count++) {
      sockets.push(await half(port, `127.0.1.${1 + count % addresses}`));
    }
    for (let probe = 0; probe < 25; probe++) {
      const response = await fetch(`http://127.0.0.1:${port}/healthz`, {
        headers: { connection: "close" },
      });
      assertEquals(await response.text(), "ok", `probe ${probe}`);
    }
    await server.shutdown();
    await closeAll(sockets);
  });
}

Deno.test("health server: kubelet is answered however many connections come while it asks", async () => {
  const asked = Promise.withResolvers<void>();
  const mayAnswer = Promise.withResolvers<void>();
  const slow = new Hono().get("/healthz", async (c) => {
    asked.resolve();
    await mayAnswer.promise;
    return c.text("ok");
  });
  const server = await serveHealth({ hostname: "127.0.0.1", port: 0 }, slow);
  const sockets: Socket[] = [];
  const flood = async (addresses: readonly string[]) => {
    for (let count = 0; count < 400; count++) {
      sockets.push(await half(server.port, addresses[count % addresses.length]!));
    }
  };
  const neighbours = Array.from({ length: 30 }, (_, at) => `127.0.1.${1 + at}`);
  const kubelet = await half(server.port, "127.0.0.1");
  await flood(neighbours);
  kubelet.write("host: a\r\nconnection: close\r\n\r\n");
  const answer = new Promise((said) => kubelet.once("data", (data) => said(`${data}`)));
  await asked.promise;
  await flood([...neighbours, "127.0.0.1"]);
  await flood(["127.0.0.1"]);
  mayAnswer.resolve();
  assertMatch(`${await answer}`, /^HTTP\/1\.1 200 /);
  await server.shutdown();
  await closeAll([...sockets, kubelet]);
});

const networks: [address: string, network: string][] = [
  ["10.0.0.1", "10.0.0.1"],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.1"],
  ["fd00:1:2:3:4:5:6:7", "fd00:1:2:3"],
  ["fd00:1::7", "fd00:1:0:0"],
  ["fd00:1:2:3:4::", "fd00:1:2:3"],
  ["::1", ":0:0:0"],
];

for (const [address, network] of networks) {
  Deno.test(`health server: ${address} is one of ${network}`, () => {
    assertEquals(networkOf(address), network);
  });
}
