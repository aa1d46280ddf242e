import { Functions } from "../../../tools/control_plane/functions.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

/** Stands before the functions. */
class Between {
  readonly #functions: string;
  #held: PromiseWithResolvers<void> | undefined;
  /** Takes no facts of the gang of this name. */
  refused: string | undefined;
  readonly #server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    (request) => this.#answer(request),
  );

  constructor(functions: string) {
    this.#functions = functions;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Answers no call of the functions before this is over. */
  async hold(during: () => Promise<void>): Promise<void> {
    const held = this.#held = Promise.withResolvers<void>();
    try {
      await during();
    } finally {
      this.#held = undefined;
      held.resolve();
    }
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const body = await request.text();
    if (this.refused !== undefined && body.includes(`"name":"${this.refused}"`)) {
      const problem = { title: "Bad request", detail: "no such name", errors: [] };
      const headers = { "content-type": "application/problem+json" };
      return Response.json(problem, { status: 400, headers });
    }
    await this.#held?.promise;
    const { method, headers } = request;
    const init = { method, headers, ...(body && { body }) };
    return await fetch(this.#functions + pathname + search, init);
  }

  stop(): Promise<void> {
    return this.#server.shutdown();
  }
}

let functions: Functions;
let between: Between;
let dir: string;

const scenario = onCluster(async () => {
  dir = await Deno.makeTempDir({ prefix: "muster-functions-" });
  functions = new Functions(dir);
  await functions.start();
  between = new Between(functions.url);
  return {
    nodes: { "node-1": 4 },
    muster: { extraArgs: [`--functions-url=${between.url}`] },
    ended: async () => {
      await between.stop();
      await functions.kill();
      await Deno.remove(dir, { recursive: true });
    },
  };
});

scenario("a pod says that its gang has just been seen", async ({ space }) => {
  await between.hold(async () => {
    await space.createGang("new", { size: 2, gpus: 1 });
    await space.untilTold(membersOf("new", 2), "has just been seen and is being looked at");
  });
  await space.untilBound(membersOf("new", 2));
});

scenario("a pod says that its gang has lost members that it needs", async ({ space }) => {
  await space.create("regular", { gpus: 2 });
  await space.createGang("gang", { size: 2, gpus: 1 });
  await space.untilRunning(["regular", ...membersOf("gang", 2)]);
  await between.hold(async () => {
    await space.delete("gang-0");
    // Had it room at once, the scheduler might try it before Muster hears of the loss.
    await space.create("gang-2", { gpus: 2, gang: { name: "gang", minAvailable: 2 } });
    await space.untilTold(["gang-2"], "Insufficient nvidia.com/gpu");
    await space.delete("regular");
    await space.untilTold(
      ["gang-2"],
      "has lost members that it needs and is being looked at again",
    );
  });
  await space.untilBound(["gang-1", "gang-2"]);
});

scenario("a pod says that the functions do not take the facts about it", async ({ space }) => {
  between.refused = "odd";
  await space.createGang("odd", { size: 2, gpus: 1 });
  await space.untilTold(
    membersOf("odd", 2),
    "waits: the policy functions do not take the facts about it: HTTP 400: Bad request: no such name",
  );
  between.refused = undefined;
  await space.untilBound(membersOf("odd", 2));
});
