import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { Hono } from "hono";
import { onError } from "../../shared/http/problem.ts";
import {
  bodyReader,
  bodyWithinMs,
  maxAnnouncedBytes,
  maxKeptBytes,
} from "../../shared/http/request_body.ts";

const maxBytes = maxKeptBytes / 16;

/** Reads bodies, of the caller that a header names. */
function reading() {
  const read = bodyReader(maxBytes, { callerOf: (c) => c.req.header("x-caller") });
  return new Hono().onError(onError).post("/", async (c) => c.text(String((await read(c)).length)));
}

/** A body of so many bytes that then does not end. */
class Half {
  readonly #arrived = Promise.withResolvers<void>();
  readonly #brokenOff = Promise.withResolvers<void>();
  /** Resolves when it has been read so far. */
  readonly arrived = this.#arrived.promise;
  isBrokenOff = false;
  readonly body: ReadableStream<Uint8Array>;

  constructor(bytes: number) {
    let left = bytes;
    this.body = new ReadableStream({
      pull: (controller) => {
        if (left === 0) {
          this.#arrived.resolve();
          return this.#brokenOff.promise;
        }
        controller.enqueue(new Uint8Array(left).fill(32));
        left = 0;
      },
      cancel: () => {
        this.isBrokenOff = true;
        this.#brokenOff.resolve();
      },
    }, { highWaterMark: 0 });
  }
}

function send(
  app: Hono,
  body: BodyInit,
  headers: Record<string, string> = {},
): Promise<Response> {
  return Promise.resolve(app.request("/", { method: "POST", body, headers }));
}

async function told(answer: Promise<Response>): Promise<[number, string]> {
  const response = await answer;
  const text = await response.text();
  return [response.status, response.status === 200 ? text : JSON.parse(text).detail];
}

const busy: [number, string] = [503, "Too many bodies are being read: ask again later"];
const late: [number, string] = [408, "The body did not arrive within 10 s: send it at once"];

Deno.test("bodies: whoever has the most being read is refused more, others are not, until it is over", async () => {
  using time = new FakeTime();
  const app = reading();
  const halves = Array.from({ length: 16 }, () => new Half(maxBytes));
  const west = { "x-caller": "west" };
  const answers = halves.map(({ body }) => told(send(app, body, west)));
  await Promise.all(halves.map(({ arrived }) => arrived));
  assertEquals(await told(send(app, new Half(1).body, west)), busy);
  const large = () => new Blob(["x".repeat(maxBytes)]).stream();
  assertEquals(await told(send(app, large(), { "x-caller": "east" })), [200, `${maxBytes}`]);
  await time.tickAsync(bodyWithinMs);
  assertEquals(await Promise.all(answers), halves.map(() => late));
  assertEquals(halves.every(({ isBrokenOff }) => isBrokenOff), true);
  assertEquals(await told(send(app, large(), west)), [200, `${maxBytes}`]);
});

Deno.test("bodies: one that is announced counts until its end, and beyond all that may be what is late is broken off", async () => {
  using time = new FakeTime();
  const app = reading();
  const send1 = (half: Half) => told(send(app, half.body, { "content-length": `${maxBytes}` }));
  const halves = Array.from({ length: maxAnnouncedBytes / maxBytes }, () => new Half(1));
  for (let round = 0; round < 2; round++) {
    const last = new Half(1);
    const answers = [...round === 0 ? halves : [], last].map(send1);
    await last.arrived;
    await time.tickAsync(bodyWithinMs);
    assertEquals(new Set((await Promise.all(answers)).map(String)), new Set([String(late)]));
    assertEquals(last.isBrokenOff, true);
  }
  assertEquals(halves.some(({ isBrokenOff }) => isBrokenOff), false);
  assertEquals(await told(send(app, "x", { "content-length": "1" })), [200, "1"]);
});

Deno.test("bodies: one that comes in many pieces is whole", async () => {
  const pieces = Array.from({ length: 10_000 }, (_, index) => `${index},`);
  const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
  assertEquals(await told(send(reading(), body)), [200, `${pieces.join("").length}`]);
});
