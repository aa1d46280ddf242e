import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ServingChild } from "./child.ts";

const token = "token-0123456789abcdef0123456789abcdef";
const encoder = new TextEncoder();

/** The answer to what is said over a connection of its own; what `breaksOff` ends in its middle. */
async function say(
  url: string,
  request: string | Uint8Array,
  breaksOff = false,
): Promise<string> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const bytes = typeof request === "string" ? encoder.encode(request) : request;
  let answer = "";
  try {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
    if (breaksOff) await connection.closeWrite();
    const decoder = new TextDecoder();
    for await (const part of connection.readable) answer += decoder.decode(part, { stream: true });
  } catch {
    // A server may close what it can not read, and give no answer.
    try {
      connection.close();
    } catch {
      // It is.
    }
  }
  return answer;
}

function get(path: string, headers: Record<string, string> = {}): string {
  return `GET ${path} HTTP/1.1\r\n${lines({ host: "127.0.0.1", ...headers })}\r\n`;
}

function post(path: string, body: string, headers: Record<string, string> = {}): string {
  const length = { "content-length": `${encoder.encode(body).length}` };
  return `POST ${path} HTTP/1.1\r\n${
    lines({ host: "127.0.0.1", ...length, ...headers })
  }\r\n${body}`;
}

function lines(headers: Record<string, string>): string {
  return Object.entries({ connection: "close", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
}

/** With a byte for each character, as no text has it. */
function bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const form = {
  "content-type": "application/x-www-form-urlencoded",
  "sec-fetch-site": "same-origin",
};
const parts = { ...form, "content-type": "multipart/form-data; boundary=x" };
const json = { "content-type": "application/json" };
const chunked = { "transfer-encoding": "chunked" };

function chunks(path: string, body: string, headers: Record<string, string>): string {
  return `POST ${path} HTTP/1.1\r\n${
    lines({ host: "127.0.0.1", ...chunked, ...headers })
  }\r\n${body}`;
}

const cookies = ["%0A", "a%0Ab", "%00", "%0D%0Ax: y", "%E2%82%AC", "%F0%9F%98%80", "%", "%ED%A0%80"]
  .map((value): [string, string] => [
    `a cookie of ${value}`,
    get("/page", { cookie: `muster-token=${value}` }),
  ]);
const forms = [
  "token=%00",
  "token=a%0Ab",
  "token=%E2%82%AC",
  "token=%FF",
  "token=%",
  "=",
  "token[]=x",
]
  .map((body): [string, string] => [`a form of ${body}`, post("/page/sign-in", body, form)]);
const hosts = [
  "[",
  "[]",
  ":",
  "a b",
  "127.0.0.1:99999",
  "127.0.0.1:x",
  "%",
  "<>",
  "^",
  "256.256.256.256",
  "",
]
  .flatMap((host): [string, string][] => [
    [`GET to host "${host}"`, get("/v1/gangs", { host })],
    [`GET of the page to host "${host}"`, get("/page", { host })],
    [`POST to host "${host}"`, post("/v1/permit", "{}", { ...json, host })],
    [`sign-in to host "${host}"`, post("/page/sign-in", "token=x", { ...form, host })],
  ]);
const targets = ["%0A", "/page?x=%0Ay", "/page%3Fx=%0Ay", "/page%3F%E2%82%AC", "/page/gangs/%0A/x"]
  .map((to): [string, string] => [
    `sign-in that leads to ${to}`,
    post(`/page/sign-in?to=${to}`, `token=${token}`, form),
  ]);
const broken: [string, string][] = [
  ["a form that breaks off", post("/page/sign-in", "token", { ...form, "content-length": "100" })],
  ["a form whose chunk breaks off", chunks("/page/sign-in", "5\r\nab", form)],
  ["a body that breaks off", post("/v1/permit", "{}", { ...json, "content-length": "100" })],
  ["a body whose chunk breaks off", chunks("/v1/permit", "5\r\n{}", json)],
];
const bodies: [string, string][] = [
  [
    "a form in parts without a boundary",
    post("/page/sign-in", "x", { ...parts, "content-type": "multipart/form-data" }),
  ],
  ["a form in parts that are none", post("/page/sign-in", "nonsense", parts)],
  [
    "a form in parts that break off",
    post("/page/sign-in", '--x\r\ncontent-disposition: form-data; name="token"\r\n\r\na', parts),
  ],
  [
    "a form of an odd charset",
    post("/page/sign-in", "token=x", {
      ...form,
      "content-type": `${form["content-type"]}; charset=nope`,
    }),
  ],
  ["a form of no chunk", chunks("/page/sign-in", "ZZ\r\nab\r\n", form)],
  ["a body of no chunk", chunks("/v1/permit", "ZZ\r\n{}\r\n", json)],
  ["a chunk that goes on", chunks("/v1/permit", "2\r\n{}xx", json)],
  ["a chunk of any length", chunks("/v1/permit", "FFFFFFFFFFFFFFFFFF\r\n{}", json)],
  [
    "a GET with no chunk",
    `GET /v1/gangs HTTP/1.1\r\n${lines({ host: "127.0.0.1", ...chunked })}\r\nZZ\r\n`,
  ],
  ["an address that is none", get("http://[/v1/gangs")],
];
const raw: [string, Uint8Array][] = [
  ["a cookie of bytes", bytes(get("/page", { cookie: "muster-token=\xff\xfe" }))],
  ["a host of bytes", bytes(get("/page", { host: "\xff\xfe" }))],
  [
    "a body of bytes",
    bytes(post("/v1/permit", "", { ...json, "content-length": "2" }) + "\xff\xfe"),
  ],
];
const whole = [...cookies, ...forms, ...hosts, ...targets, ...bodies, ...raw];

for (const runtime of ["deno", "workerd"]) {
  for (
    const [who, vars] of [
      ["loopback", {}],
      ["a credential", { MUSTER_TOKENS: JSON.stringify({ east: [token] }) }],
    ] as const
  ) {
    Deno.test(`odd requests: where ${who} may call, none is a 5xx on ${runtime}`, async (t) => {
      await using child = new ServingChild();
      const args = ["--runtime", runtime, "--port", "0"];
      await child.start(["run", "-A", "--no-check", "cli/functions.ts", ...args], vars);
      let answered = 0;
      for (const [what, request] of [...whole, ...broken]) {
        await t.step(what, async () => {
          const answer = await say(child.url, request, what.endsWith("breaks off"));
          const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
          if (status > 0) answered++;
          assert(status < 500, answer.slice(0, 1000));
        });
      }
      // The others are chunks that are none: Deno closes their connections.
      assert(answered > whole.length - 8, `${answered} of ${whole.length}`);
      assertStringIncludes(await say(child.url, get("/healthz")), "200 OK");
    });
  }
}

Deno.test("odd requests: sign-in with a good token goes on, whatever it should lead to", async () => {
  await using child = new ServingChild();
  const tools = ["run", "-A", "--no-check", "functions/serve.ts", "--port", "0"];
  await child.start(tools, { MUSTER_TOKENS: JSON.stringify({ east: [token] }) });
  for (const [, request] of targets) {
    const answer = await say(child.url, request);
    assertEquals(/^HTTP\/1\.1 303 [^]*^location: (\S+)\r$/m.exec(answer)?.[1], "/page");
  }
});
