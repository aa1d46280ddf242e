import { join } from "node:path";
import { stringify } from "yaml";
import { startProcess } from "../../cli/process.ts";
import type { BinariesOptions } from "../control_plane/binaries.ts";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { freePorts } from "../control_plane/ports.ts";
import { answersOk, untilReady } from "../control_plane/readiness.ts";
import { installKinds } from "./kinds.ts";
import { findOrBuildOperator } from "./operator_source.ts";
import { mountOwnCertificate, prepareOwnCertificate } from "./own_certificate.ts";
import type { Operator } from "./operators.ts";
import { applyWebhooks, copyCertificate } from "./webhooks.ts";

/** Which operator to start, under its name in the table. */
export interface OperatorProcessOptions extends BinariesOptions {
  operator: Operator;
}

/** Installs an operator's kinds, and runs it beside a control plane with the admin's rights; resolves when it says that it is ready. */
export async function startOperator(
  name: string,
  options: OperatorProcessOptions & { controlPlane: ControlPlane },
): Promise<void> {
  const { operator, controlPlane, onProgress } = options;
  const binary = await findOrBuildOperator(name, options);
  await installKinds(controlPlane.api, operator);
  await createNamespace(controlPlane, operator);
  const ports = freePorts(["probes", "webhooks"]);
  const certificates = join(controlPlane.dir, "certificates", name);
  await copyCertificate(controlPlane, certificates);
  // Before it runs: the API server knows of its webhooks by the time that they answer.
  const { ownCertificate: own, namespace = "" } = operator;
  if (own !== undefined) await prepareOwnCertificate(controlPlane, { own, namespace });
  if (operator.webhooks !== undefined) {
    await applyWebhooks(name, { operator, controlPlane, port: ports.webhooks });
  }
  const { flags = [], configuration } = operator.local({ ...ports, certificates });
  const file = join(controlPlane.dir, `${name}.yaml`);
  if (configuration) await Deno.writeTextFile(file, stringify(configuration));
  onProgress(`starting ${name} ${operator.version}`);
  const child = startProcess({
    name,
    command: binary,
    args: [...operator.flags, ...flags, ...(configuration ? [`--config=${file}`] : [])],
    env: { KUBECONFIG: controlPlane.kubeconfig },
    logFile: controlPlane.logFile(name),
  });
  controlPlane.adopt(child);
  if (own !== undefined) {
    await child.orFailure(() => mountOwnCertificate(controlPlane, { own, namespace }));
  }
  const probe = operator.probe ?? `http://127.0.0.1:${ports.probes}/readyz`;
  await child.orFailure((signal) =>
    untilReady(async () => {
      // Not every probe waits for the webhooks, without which nothing can be created.
      if (operator.webhooks !== undefined) await connect(ports.webhooks);
      return await answersOk(probe);
    }, { what: name, signal })
  );
}

async function connect(port: number): Promise<void> {
  (await Deno.connect({ hostname: "127.0.0.1", port })).close();
}

async function createNamespace(
  { api }: ControlPlane,
  { namespace }: Operator,
): Promise<void> {
  if (namespace === undefined) return;
  const metadata = { name: namespace };
  await api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
}
