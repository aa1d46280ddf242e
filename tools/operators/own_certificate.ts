/**
 * What a cluster does for an operator that makes the certificate of its webhooks itself: a Service that leads to it, and
 * its Secret as a mounted volume.
 *
 * @module
 */
import { join } from "node:path";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import type { OwnCertificate } from "./operators.ts";

/** Creates the Service that webhooks are called by, which leads to a port of this machine, and the Secret, which is empty. */
export async function prepareOwnCertificate(
  { api }: ControlPlane,
  options: { own: OwnCertificate; namespace: string },
): Promise<void> {
  const { own, namespace } = options;
  await unmountOwnCertificate(own);
  const path = `/api/v1/namespaces/${namespace}`;
  await api.create(`${path}/secrets`, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: own.secret },
  });
  await api.create(`${path}/services`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: own.service },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
}

/** Writes the Secret into the operator's folder, as a kubelet does, once the operator has filled it. */
export async function mountOwnCertificate(
  { api }: ControlPlane,
  options: { own: OwnCertificate; namespace: string },
): Promise<void> {
  const { own, namespace } = options;
  const [secret] = await api.watchUntil(
    `/api/v1/namespaces/${namespace}/secrets?fieldSelector=metadata.name=${own.secret}`,
    ([secret]) => secret?.["data"]?.["tls.crt"] !== undefined,
  );
  await Deno.mkdir(own.folder, { recursive: true });
  // The certificate comes last: the operator waits for that file.
  for (const file of ["tls.key", "tls.crt"]) {
    await Deno.writeTextFile(join(own.folder, file), atob(secret!["data"][file]));
  }
}

/** Removes what a mount has left. */
export async function unmountOwnCertificate({ folder }: OwnCertificate): Promise<void> {
  try {
    await Deno.remove(folder, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
