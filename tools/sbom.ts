/**
 * What of others is in what is built: a bill of materials (CycloneDX 1.6) from the lock file.
 *
 * @module
 */
import { Buffer } from "node:buffer";

/** As much of deno.lock as is read. */
export interface LockFile {
  /** By name, version and, after `_`, the versions of its peers. */
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
}

/** A package of the lock file. */
export interface Component {
  readonly type: "library";
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  /** `required`: it is in a bundle; `excluded`: it builds or tests. */
  readonly scope: "required" | "excluded";
  readonly hashes: readonly { readonly alg: "SHA-512"; readonly content: string }[];
  /** Absent of what another platform would install. */
  readonly licenses?: readonly { readonly expression: string }[];
}

/** A bill of materials. */
export interface Bom {
  readonly bomFormat: "CycloneDX";
  readonly specVersion: "1.6";
  readonly version: 1;
  readonly metadata: {
    readonly component: { readonly type: "application"; readonly name: string };
  };
  readonly components: readonly Component[];
}

/** The bill of the packages of a lock file; `inputs` are the modules of the bundles, `licenseOf` reads what a package says. */
export async function sbomOf(
  lock: LockFile,
  { inputs, licenseOf }: {
    inputs: readonly string[];
    licenseOf: (name: string, version: string) => Promise<string | undefined>;
  },
): Promise<Bom> {
  const shipped = new Set(inputs.flatMap((input) => packageOf(input) ?? []));
  const components = await Promise.all(
    Object.entries(lock.npm).map(async ([id, { integrity }]): Promise<Component> => {
      const [, name = "", version = ""] = /^(@?[^@]+)@([^_]+)/.exec(id) ?? [];
      const license = await licenseOf(name, version);
      return {
        type: "library",
        name,
        version,
        purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
        scope: shipped.has(`${name}@${version}`) ? "required" : "excluded",
        hashes: [{
          alg: "SHA-512",
          content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex"),
        }],
        ...(license !== undefined && { licenses: [{ expression: license }] }),
      };
    }),
  );
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: { type: "application", name: "muster" } },
    components,
  };
}

/** How many packages of the bundles have which license, the most frequent first: `MIT 12, Apache-2.0 3`. */
export function licensesIn({ components }: Pick<Bom, "components">): string {
  const shipped = components.filter(({ scope }) => scope === "required");
  const counts = Map.groupBy(shipped, ({ licenses }) => licenses?.[0]?.expression ?? "unknown");
  return [...counts].map(([license, { length }]) => ({ license, length }))
    .sort((a, b) => b.length - a.length)
    .map(({ license, length }) => `${license} ${length}`).join(", ");
}

/** What a package in node_modules says of its license. */
export async function installedLicense(
  name: string,
  version: string,
): Promise<string | undefined> {
  const folder = `${name.replace("/", "+")}@${version}`;
  const url = new URL(
    `../node_modules/.deno/${folder}/node_modules/${name}/package.json`,
    import.meta.url,
  );
  const text = await Deno.readTextFile(url).catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text).license;
}

/** `name@version` of the package that a module is of. */
function packageOf(module: string): string | undefined {
  const [, folder] = /node_modules\/\.deno\/([^/]+)\//.exec(module) ?? [];
  if (folder === undefined) return undefined;
  return folder.startsWith("@") ? folder.replace("+", "/") : folder;
}
