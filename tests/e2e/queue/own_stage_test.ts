import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

let isBroken = true;
let stage: Deno.HttpServer<Deno.NetAddr>;
let url: string;

const scenario = onCluster(() => {
  stage = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () =>
      isBroken
        ? new Response("out of order", { status: 503 })
        : Response.json({ verdict: "allow", reason: "Admitted", message: "it may start" }),
  );
  url = `http://127.0.0.1:${stage.addr.port}`;
  return {
    nodes: { "node-1": 4 },
    muster: { extraArgs: [`--stage-url=prefilter=${url}`] },
    ended: () => stage.shutdown(),
  };
});

scenario("a pod says which stage of a team's own fails, and waits for it", async ({ space }) => {
  await space.createGang("gang", { size: 2, gpus: 1 });
  await space.untilTold(
    membersOf("gang", 2),
    `waits: stage prefilter at ${url} failed: HTTP 503: out of order`,
  );
  isBroken = false;
  await space.untilBound(membersOf("gang", 2));
});
