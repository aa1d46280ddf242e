import type { ControlPlane } from "../../../tools/control_plane/control_plane.ts";

/** A token of a ServiceAccount in namespace muster-system that the API server signs, as for a projected volume. */
export function tokenOf(
  controlPlane: ControlPlane,
  { account = "muster-relay", audience = "muster" } = {},
): Promise<string> {
  return controlPlane.tokenOf({ namespace: "muster-system", name: account }, audience);
}

/** The keys by which a control plane's tokens are known, served to everybody: the API server itself asks for a credential. */
export class TokenKeys {
  /** UID of namespace kube-system, which names the cluster. */
  readonly cluster: string;
  /** The value of `MUSTER_ISSUERS` by which functions trust tokens of audience `muster`. */
  readonly issuers: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(keys: string, { issuer, cluster }: { issuer: string; cluster: string }) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(keys),
    );
    const jwksUrl = `http://127.0.0.1:${this.#server.addr.port}/openid/v1/jwks`;
    this.cluster = cluster;
    this.issuers = JSON.stringify([{ issuer, audience: "muster", cluster, jwksUrl }]);
  }

  /** Serves the keys until {@linkcode close}. */
  static async of({ api }: ControlPlane): Promise<TokenKeys> {
    const { issuer } = JSON.parse(await api.text("/.well-known/openid-configuration"));
    const { metadata } = await api.get("/api/v1/namespaces/kube-system");
    return new TokenKeys(await api.text("/openid/v1/jwks"), { issuer, cluster: metadata.uid! });
  }

  async close(): Promise<void> {
    await this.#server.shutdown();
  }
}
