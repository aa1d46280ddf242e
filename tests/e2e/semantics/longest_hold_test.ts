import { assertEquals } from "@std/assert";
import type { PermitRequest } from "../../../shared/contract/types.ts";
import { untilHeld } from "../support/metrics.ts";
import { onCluster } from "../support/on_cluster.ts";
import { membersOf } from "../support/space.ts";

/** A policy of one's own has gangs wait that are whole. */
let isOver = false;

const scenario = onCluster(() => {
  const permit = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { gangs }: Pick<PermitRequest, "gangs"> = await request.json();
      const held = gangs.flatMap(({ held }) => held.map(({ uid }) => uid));
      const [verdict, reason] = isOver ? ["allow", "Satisfied"] : ["wait", "WaitingForMembers"];
      const uids = { allow: [], wait: [], reject: [], [verdict!]: held };
      return Response.json({ verdict, reason, message: "so it is", askAgainSeconds: 1, ...uids });
    },
  );
  return {
    nodes: { "node-1": 4 },
    muster: {
      extraArgs: [
        "--longest-hold=3",
        `--stage-url=permit=http://127.0.0.1:${permit.addr.port}`,
      ],
    },
    ended: () => permit.shutdown(),
  };
});

scenario(
  "a wait that is longer than one call may last goes on over several calls, and nothing is bound before its end",
  async ({ cluster, space }) => {
    const { url } = cluster.muster;
    await space.createGang("train", { size: 2, gpus: 2 });
    const names = membersOf("train", 2);
    for (let call = 0; call < 2; call++) {
      await untilHeld(url, 2);
      await untilHeld(url, 0);
    }
    for (const name of names) {
      await space.untilEvent(
        `${name} is let go`,
        ({ pod, message }) =>
          pod === name && message.includes("held for 3 s, as long as one call may last"),
      );
    }
    await untilHeld(url, 2);
    assertEquals(await space.bound(), []);
    isOver = true;
    await space.untilBound(names);
  },
);
