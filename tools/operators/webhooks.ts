import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import type { ControlPlane } from "../control_plane/control_plane.ts";
import { applyManifests } from "../control_plane/manifests.ts";
import { manifestsOf } from "./operator_source.ts";
import type { Operator } from "./operators.ts";

/** A webhook, as far as it says where it is. */
interface Webhook {
  clientConfig: {
    service?: { path: string; name?: string; namespace?: string; port?: number };
    url?: string;
    caBundle?: string;
  };
}

/** Applies an operator's own webhooks, called at a port of this machine: no Service is routed here, but one by an external name. */
export async function applyWebhooks(
  name: string,
  options: { operator: Operator; controlPlane: ControlPlane; port: number },
): Promise<void> {
  const { operator, controlPlane, port } = options;
  const own = operator.ownCertificate;
  const { ca } = controlPlane.connection("admin");
  for (const text of await manifestsOf(operator, [operator.webhooks ?? ""])) {
    for (const document of parseAllDocuments(text)) {
      const configuration = document.toJS();
      // The files start with a rule that no document precedes.
      if (!configuration) continue;
      configuration.metadata.name = own?.configuration ?? name;
      for (const webhook of configuration.webhooks as Webhook[]) {
        const path = webhook.clientConfig.service?.path ?? "";
        webhook.clientConfig = own
          ? { service: { name: own.service, namespace: operator.namespace ?? "", path, port } }
          : { url: `https://127.0.0.1:${port}${path}`, caBundle: btoa(ca) };
      }
      await applyManifests(controlPlane.api, stringify(configuration));
    }
  }
}

/** Puts the API server's own certificate, which is good for 127.0.0.1, into a folder as `tls.crt` and `tls.key`. */
export async function copyCertificate(controlPlane: ControlPlane, folder: string): Promise<void> {
  const from = join(controlPlane.dir, "certificates");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.copyFile(join(from, "apiserver.crt"), join(folder, "tls.crt"));
  await Deno.copyFile(join(from, "apiserver.key"), join(folder, "tls.key"));
}
