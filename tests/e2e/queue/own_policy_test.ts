import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

/** A policy of a team's own: the last name goes first, and names on a list are not admitted. */
class TeamPolicy {
  readonly kept = new Set<string>();
  isBroken = false;
  #asked = new Map<string, () => void>();
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => this.#answer(request),
  );

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async #answer(request: Request): Promise<Response> {
    // deno-lint-ignore no-explicit-any -- as any server of somebody else would read it
    const body: any = await request.json();
    if (this.isBroken) return new Response("out of order", { status: 500 });
    if (request.url.endsWith("/v1/queue-sort")) {
      const keyOf = (id: string) => String(99_999 - id.charCodeAt(id.indexOf("/") + 1));
      return Response.json({
        keys: body.units.map(({ id }: { id: string }) => ({ id, key: keyOf(id) })),
        askAgainSeconds: 1,
      });
    }
    const { name } = body.gangs[0].gang;
    this.#asked.get(name)?.();
    if (!this.kept.has(name)) return Response.json({ verdict: "allow" });
    return Response.json({
      verdict: "wait",
      reason: "BudgetUsedUp",
      message: "budget of team-a is used up\nuntil <b>18:00</b>\u202e",
      askAgainSeconds: 1,
    });
  }

  /** Resolves when it is asked about a gang for so many more times. */
  async untilAsked(gang: string, times: number): Promise<void> {
    for (let left = times; left > 0; left--) {
      await new Promise<void>((resolve) => this.#asked.set(gang, resolve));
    }
  }

  stop(): Promise<void> {
    return this.#server.shutdown();
  }
}

let policy: TeamPolicy;

const scenario = onCluster(() => {
  policy = new TeamPolicy();
  return {
    nodes: { "node-1": 4 },
    muster: {
      extraArgs: [
        `--stage-url=queue-sort=${policy.url}`,
        `--stage-url=admit=${policy.url}`,
        "--stage-failure=admit=built-in",
      ],
    },
    ended: () => policy.stop(),
  };
});

scenario(
  "gangs go by a team's own order and wait for its word; while it fails, Muster's own decides",
  async ({ cluster: { muster }, space }) => {
    policy.kept.add("kept");
    await space.createGang("kept", { size: 2, gpus: 1 });
    await space.untilTold(
      membersOf("kept", 2),
      "is kept waiting by policy BudgetUsedUp: budget of team-a is used up until <b>18:00</b>",
    );
    const page = await (await fetch(`${muster.url}/page/gangs/${space.name}/kept`)).text();
    assertStringIncludes(page, "until &lt;b&gt;18:00&lt;/b&gt;");

    // What waits for a policy keeps no room from others.
    await space.create("regular", { gpus: 3 });
    await space.untilBound(["regular"]);
    for (const name of ["a", "b"]) {
      await space.createGang(name, { size: 4, gpus: 1 });
      await space.untilTold(membersOf(name, 4), "needs room for 4 more members");
    }
    await space.delete("regular");
    await space.untilBound(membersOf("b", 4));
    assertEquals(await space.bound(), membersOf("b", 4));
    await space.delete(...membersOf("b", 4));
    await space.untilBound(membersOf("a", 4));
    await space.delete(...membersOf("a", 4));

    policy.kept.clear();
    await space.untilBound(membersOf("kept", 2));
    await space.delete(...membersOf("kept", 2));

    // Nobody leaves for a gang before the policy lets it start.
    policy.kept.add("high");
    await space.create("low", { gpus: 4, spec: { priorityClassName: "low" } });
    await space.untilBound(["low"]);
    const asked = policy.untilAsked("high", 3);
    await space.createGang("high", { size: 2, gpus: 1, spec: { priorityClassName: "high" } });
    await asked;
    assertEquals(await space.bound(), ["low"]);
    policy.kept.clear();
    await space.untilBound(membersOf("high", 2));
    assertEquals(await space.bound(), membersOf("high", 2));

    policy.kept.add("late");
    policy.isBroken = true;
    await space.createGang("late", { size: 2, gpus: 1 });
    await space.untilBound(membersOf("late", 2));
    const ready = await fetch(`${muster.url}/readyz`);
    const text = await ready.text();
    assert(ready.ok, text);
    assertStringIncludes(text, `stage admit at ${policy.url} does not answer, Muster's own`);
    const { stages } = await (await fetch(`${muster.url}/stages`)).json();
    assertEquals(stages.map(({ stage }: { stage: string }) => stage), ["queue-sort", "admit"]);
    const metrics = await (await fetch(`${muster.url}/metrics`)).text();
    assertStringIncludes(metrics, 'own_stage_calls_total{stage="admit",outcome="answered"}');
  },
);
