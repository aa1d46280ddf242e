import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { AuditEvent } from "../../../tools/control_plane/audit.ts";
import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";
import { allowElection, electionLease, leaseFlag } from "../../../tools/control_plane/election.ts";
import {
  type Muster,
  type MusterOptions,
  startMuster,
} from "../../../tools/control_plane/muster.ts";
import { type Scheduler, startScheduler } from "../../../tools/control_plane/scheduler.ts";
import { untilLeading } from "./metrics.ts";
import type { ClusterOptions } from "./on_cluster.ts";

const hostnames = ["pair-a", "pair-b"] as const;
const leases = `/apis/coordination.k8s.io/v1/namespaces/${electionLease.namespace}/leases`;
/** Short, so that tests are; the relay looks every 2 s. */
const leaseSeconds = 6;

/** A scheduler and the relay beside it, as in one Pod. */
export interface Pair {
  readonly hostname: string;
  readonly muster: Muster;
  readonly scheduler: Scheduler;
  /** By which the audit log tells its relay from the other. */
  readonly credential: string;
}

/** How the Muster of a pair is started. */
export type PairOptions = (controlPlane: ControlPlane, pair: number) => MusterOptions;

/** Two pairs, of which one leads. */
export class Pairs {
  #controlPlane: ControlPlane | undefined;
  #pairs: [Pair, Pair] | undefined;

  /** A cluster that starts them; `optionsOf` says how each Muster differs from the other, by its number. */
  options(optionsOf: PairOptions): ClusterOptions {
    const credentials: string[] = [];
    const musterOptions = async (controlPlane: ControlPlane, pair: number) => {
      const { kubeconfig, credential } = await newIdentity(controlPlane, hostnames[pair]!);
      credentials[pair] = credential;
      const own = optionsOf(controlPlane, pair);
      return {
        profile: "sigs",
        kubeconfig,
        hostname: hostnames[pair]!,
        ...own,
        extraArgs: [leaseFlag, ...own.extraArgs ?? []],
      } satisfies MusterOptions;
    };
    const pairOf = (pair: number, parts: { muster: Muster; scheduler: Scheduler }): Pair => ({
      ...parts,
      hostname: hostnames[pair]!,
      credential: credentials[pair]!,
    });
    return {
      nodes: { "node-1": 4, "node-2": 4 },
      electedAs: { hostname: hostnames[0], leaseSeconds },
      muster: async (controlPlane) => {
        await allowElection(controlPlane);
        return await musterOptions(controlPlane, 0);
      },
      started: async ({ controlPlane, muster, scheduler }) => {
        const second = await startMuster(controlPlane, await musterOptions(controlPlane, 1));
        const secondScheduler = await startScheduler(controlPlane, {
          extenderUrl: second.url,
          electedAs: { hostname: hostnames[1], leaseSeconds },
        });
        this.#controlPlane = controlPlane;
        this.#pairs = [
          pairOf(0, { muster, scheduler }),
          pairOf(1, { muster: second, scheduler: secondScheduler }),
        ];
      },
    };
  }

  /** The leading pair and the other, once one leads that is alive and both relays know. */
  async roles(): Promise<{ leading: Pair; standby: Pair }> {
    const alive = this.#pairs!.filter(({ scheduler }) => scheduler.process.running);
    let leading: Pair | undefined;
    await this.#controlPlane!.api.watchUntil(leases, (all) => {
      const holder = all.find(({ metadata }) => metadata.name === electionLease.name)?.["spec"]
        .holderIdentity ?? "";
      leading = alive.find(({ hostname }) => holder.startsWith(`${hostname}_`));
      return leading !== undefined;
    });
    const standby = this.#pairs!.find((pair) => pair !== leading)!;
    await untilLeading(leading!.muster.url, true);
    await untilLeading(standby.muster.url, false);
    return { leading: leading!, standby };
  }

  /** Resolves when this pair's scheduler leads. */
  async untilLeads({ hostname }: Pair): Promise<void> {
    await this.#controlPlane!.api.watchUntil(
      leases,
      (all) =>
        all.some(({ metadata, spec }) =>
          metadata.name === electionLease.name && spec.holderIdentity?.startsWith(`${hostname}_`)
        ),
    );
  }

  /** Starts what does not run any more. */
  async revive(): Promise<void> {
    for (const { muster, scheduler } of this.#pairs!) {
      if (!muster.process.running) await muster.start();
      if (!scheduler.process.running) await scheduler.start();
    }
  }
}

/** What a pair's relay wrote in a namespace. */
export function writesOf(
  { credential }: Pair,
  { events, namespace }: { events: readonly AuditEvent[]; namespace: string },
): AuditEvent[] {
  return events.filter(({ verb, user, objectRef }) =>
    !["get", "list", "watch"].includes(verb) &&
    user.extra?.["authentication.kubernetes.io/credential-id"]?.includes(credential) &&
    objectRef?.namespace === namespace
  );
}

/** A token of the relay's ServiceAccount, which is known by its id, and a kubeconfig for it. */
async function newIdentity(
  controlPlane: ControlPlane,
  name: string,
): Promise<{ kubeconfig: string; credential: string }> {
  const { dir, kubeconfigs } = controlPlane;
  const token = await controlPlane.tokenOf({ namespace: "muster-system", name: "muster-relay" });
  const claims = JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
  const config = parse(await Deno.readTextFile(kubeconfigs.relay));
  config.users[0].user = { token };
  const kubeconfig = join(dir, `${name}.kubeconfig`);
  await Deno.writeTextFile(kubeconfig, stringify(config), { mode: 0o600 });
  return { kubeconfig, credential: `JTI=${claims.jti}` };
}
