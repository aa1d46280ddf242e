import { assertEquals, assertGreaterOrEqual, assertRejects } from "@std/assert";
import { Link } from "../../tools/link.ts";

/** A server that sends back what it gets, and a link before it. */
async function linked(test: (link: Link) => Promise<void>): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    const all: Promise<void>[] = [];
    for await (const connection of listener) {
      all.push(connection.readable.pipeTo(connection.writable).catch(() => {}));
    }
    await Promise.all(all);
  })();
  {
    await using link = new Link(listener.addr.port);
    await test(link);
  }
  listener.close();
  await serving;
}

async function connect({ port }: Link) {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  return {
    /** What comes back for a text; undefined: the connection has ended. */
    async echo(text: string): Promise<string | undefined> {
      await connection.write(new TextEncoder().encode(text));
      const bytes = new Uint8Array(100);
      const read = await connection.read(bytes);
      return read === null ? undefined : new TextDecoder().decode(bytes.subarray(0, read));
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

Deno.test("Link carries what is sent, and counts its connections", () =>
  linked(async (link) => {
    using one = await connect(link);
    using other = await connect(link);
    assertEquals([await one.echo("a"), await other.echo("b")], ["a", "b"]);
    assertEquals([link.count, link.open], [2, 2]);
  }));

Deno.test("Link.cut() ends the connections of now, and isCut those that come", () =>
  linked(async (link) => {
    using one = await connect(link);
    assertEquals(await one.echo("a"), "a");
    link.isCut = true;
    link.cut();
    await assertEnds(one);
    using other = await connect(link);
    await assertEnds(other);
    link.isCut = false;
    using third = await connect(link);
    assertEquals(await third.echo("c"), "c");
  }));

async function assertEnds(connection: Awaited<ReturnType<typeof connect>>): Promise<void> {
  const echoed = await connection.echo("b").catch(() => undefined);
  assertEquals(echoed, undefined);
}

Deno.test("Link delays what is sent, there and back", () =>
  linked(async (link) => {
    using one = await connect(link);
    link.delayMs = 50;
    const from = performance.now();
    assertEquals(await one.echo("a"), "a");
    assertGreaterOrEqual(performance.now() - from, 95);
  }));

Deno.test("Link.silence() lets connections of now lose what is sent, for good, and later ones not", () =>
  linked(async (link) => {
    using one = await connect(link);
    assertEquals(await one.echo("a"), "a");
    link.silence();
    const lost = one.echo("b");
    using other = await connect(link);
    assertEquals(await other.echo("c"), "c");
    link.cut();
    assertEquals(await lost.catch(() => undefined), undefined);
  }));

Deno.test("Link ends the connection where the server does not listen", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  await using link = new Link(port);
  using one = await connect(link);
  await assertEnds(one);
  await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port }));
});
