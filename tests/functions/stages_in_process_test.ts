import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { AbortError } from "p-retry";
import { openPolicy, type PolicyHost } from "../../functions/serve.ts";
import type { Stages } from "../../functions/stages.ts";
import { at, gang, group, pod } from "../support/facts.ts";

const waiting = group(gang({ minMember: 2, held: 1, pending: 1 }));
const whole = group(gang({ minMember: 2, held: 2 }));
const failed = [{ uid: "a-1", message: "no room" }];
const lost = [{ pod: pod("a-1"), cause: "aborted" }];
const fit = { members: 2, of: 2 };
const units = [{ id: "late", priority: 0, queuedAt: at(2), gang: waiting.gangs[0]!.gang }];

/** Functions over a store of their own. */
async function withPolicy(
  use: (host: PolicyHost) => Promise<void>,
  vars: Record<string, string> = {},
): Promise<void> {
  const store = await Deno.makeTempDir({ prefix: "muster-in-process-" });
  const host = openPolicy({ store, vars });
  try {
    await use(host);
  } finally {
    await host.close();
    await Deno.remove(store, { recursive: true });
  }
}

/** What the functions answer a caller on loopback. */
async function overHttp(host: PolicyHost, stage: string, body: unknown): Promise<unknown> {
  const request = new Request(`http://localhost/v1/${stage}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-muster-cluster": "http" },
    body: JSON.stringify(body),
  });
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "127.0.0.1", port: 0 };
  const response = await host.serve(request, { remoteAddr, completed: Promise.resolve() });
  assertEquals(response.status, 200);
  return await response.json();
}

Deno.test("stages in process: answer as over HTTP, from what they were told before", async () => {
  using _time = new FakeTime();
  for (const profile of ["default", "kep"]) {
    await withPolicy(async (host) => {
      const stages = host.stages("in-process");
      const other = group(gang({ name: "b", minMember: 2, pending: 2 }));
      const calls: [keyof Stages, body: object][] = [
        ["prefilter", { ...waiting, fit }],
        ["permit", waiting],
        ["prefilter", { ...other, fit }],
        ["permit", whole],
        ["unreserve", { ...waiting, lost }],
        ["prefilter", { ...waiting, fit }],
        ["permit", whole],
        ["postfilter", { ...waiting, failed }],
        ["queueSort", { units }],
      ];
      for (const [index, [stage, facts]] of calls.entries()) {
        const body = { ...facts, relay: { id: "relay", epoch: index } };
        const answer = await stages[stage](body as never, "id");
        const path = stage === "queueSort" ? "queue-sort" : stage;
        // What is undefined is not in JSON.
        const told = JSON.parse(JSON.stringify(answer));
        assertEquals(told, await overHttp(host, path, body), `${profile}: ${stage} ${index}`);
      }
    }, { MUSTER_PROFILE: profile });
  }
});

Deno.test("stages in process: what does not follow the contract is refused, and logged with the id of its call", async () => {
  const lines: string[] = [];
  const { error: genuine } = console;
  // deno-lint-ignore no-console -- where the functions log
  console.error = (line: string) => lines.push(line);
  try {
    await withPolicy(async (host) => {
      const stages = host.stages("east");
      const wrong = group(gang({ minMember: 0, held: 1 }));
      const error = await assertRejects(() => stages.permit(wrong as never, "call-1"), AbortError);
      assertStringIncludes(error.message, '"gangs[0].gang.minMember" must be >= 1');
      assertEquals((await stages.permit(waiting as never, "call-2")).verdict, "wait");
    });
  } finally {
    // deno-lint-ignore no-console -- as above
    console.error = genuine;
  }
  const { level, message, requestId, cluster, stack } = JSON.parse(lines[0]!);
  assertEquals([lines.length, level, requestId, cluster], [1, "error", "call-1", "east"]);
  assertStringIncludes(message, '"gangs[0].gang.minMember" must be >= 1');
  assertStringIncludes(stack, " at ");
});
