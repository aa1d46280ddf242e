import { join } from "node:path";
import { stringify } from "yaml";
import { relayUser } from "./audit.ts";

/**
 * Who talks to the API server. The relay has the name that its ServiceAccount has in a cluster, so that its
 * own role decides what it may do; kwok plays every kubelet, for which there is no ready role.
 */
export const identities = {
  admin: { user: "muster:admin", groups: ["system:masters"] },
  kwok: { user: "muster:kwok", groups: ["system:masters"] },
  controllerManager: { user: "system:kube-controller-manager", groups: [] },
  scheduler: { user: "system:kube-scheduler", groups: [] },
  relay: {
    user: relayUser,
    groups: ["system:serviceaccounts", "system:serviceaccounts:muster-system"],
  },
} as const satisfies Record<string, { user: string; groups: readonly string[] }>;

/** A client of the API server. */
export type IdentityName = keyof typeof identities;

/** The secret of each client. */
export type Tokens = Record<IdentityName, string>;

const names = Object.keys(identities) as IdentityName[];

/** Draws a token for each identity and writes the file for `--token-auth-file`, which returns with them. */
export async function writeTokens(dir: string): Promise<{ tokens: Tokens; tokenFile: string }> {
  const tokens = Object.fromEntries(names.map((name) => [name, crypto.randomUUID()])) as Tokens;
  const lines = names.map((name) => {
    const { user, groups }: { user: string; groups: readonly string[] } = identities[name];
    return `${tokens[name]},${user},${name},"${groups.join(",")}"`;
  });
  const tokenFile = join(dir, "tokens.csv");
  await writeSecret(tokenFile, lines.join("\n") + "\n");
  return { tokens, tokenFile };
}

/** Writes a kubeconfig file per identity and returns their absolute paths. */
export async function writeKubeconfigs(
  dir: string,
  options: { server: string; ca: string; tokens: Tokens },
): Promise<Record<IdentityName, string>> {
  const paths = Object.fromEntries(names.map((name) => [name, join(dir, `${name}.kubeconfig`)]));
  for (const name of names) {
    await writeKubeconfig(paths[name] as string, { ...options, token: options.tokens[name] });
  }
  return paths as Record<IdentityName, string>;
}

/** Writes a kubeconfig file for whoever has a token. */
export async function writeKubeconfig(
  path: string,
  options: { server: string; ca: string; token: string },
): Promise<void> {
  const { server, ca, token } = options;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "muster", cluster: { server, "certificate-authority-data": btoa(ca) } }],
    users: [{ name: "muster", user: { token } }],
    contexts: [{ name: "muster", context: { cluster: "muster", user: "muster" } }],
    "current-context": "muster",
  };
  await writeSecret(path, stringify(config));
}

/** Writes the key with which service account tokens are signed, and the public half that verifies them. */
export async function writeServiceAccountKey(
  dir: string,
): Promise<{ privateKey: string; publicKey: string }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(
    { name: "ECDSA", namedCurve: "P-256" },
    true,
    ["sign", "verify"],
  );
  const paths = {
    privateKey: join(dir, "service_account.key"),
    publicKey: join(dir, "service_account.pub"),
  };
  await writeSecret(
    paths.privateKey,
    pem("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", privateKey)),
  );
  await writeSecret(
    paths.publicKey,
    pem("PUBLIC KEY", await crypto.subtle.exportKey("spki", publicKey)),
  );
  return paths;
}

function pem(label: string, der: ArrayBuffer): string {
  const lines = new Uint8Array(der).toBase64().match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

async function writeSecret(path: string, text: string): Promise<void> {
  await Deno.writeTextFile(path, text, { mode: 0o600 });
}
