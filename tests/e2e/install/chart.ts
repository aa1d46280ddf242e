import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { findOrBuildClient } from "../../../tools/control_plane/binaries.ts";
import { versions } from "../../../tools/control_plane/programs.ts";
import { progress } from "../support/on_cluster.ts";
import { deploy } from "./installed.ts";

const chart = join(deploy, "helm/muster");
const namespace = "muster-system";

/** The values of the chart by which it is an overlay of deploy/overlays. */
export const valuesOf: Readonly<Record<string, object>> = {
  "embedded": {},
  "edge": { functions: { url: "https://muster.example.com" } },
  "embedded-admission": { admission: { enabled: true } },
  "edge-admission": {
    admission: { enabled: true },
    functions: { url: "https://muster.example.com" },
  },
  "embedded-volcano": {
    admission: { enabled: true, optIn: true },
    schedulerNames: ["volcano", "scheduler-plugins-scheduler"],
  },
};

/** Runs Helm for the release "muster"; what it says, or an error with that. */
export async function helm(
  command: "lint" | "template" | "install" | "upgrade" | "rollback" | "uninstall",
  { values = {}, kubeconfig = "/nowhere", flags = [] }: {
    values?: object;
    kubeconfig?: string;
    flags?: string[];
  } = {},
): Promise<string> {
  const release = command === "lint" ? [] : ["muster"];
  const needsNone = command === "uninstall" || command === "rollback";
  const target = needsNone ? [] : [chart, "--values", "-"];
  const version = command === "template" ? ["--kube-version", versions.kubernetes] : [];
  const child = new Deno.Command(await findOrBuildClient("helm", { onProgress: progress }), {
    args: [command, ...release, ...target, ...version, ...flags, "--namespace", namespace],
    env: { KUBECONFIG: kubeconfig },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(values)));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const [said, complained] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (!success) throw new Error(`helm ${command}: ${said}${complained}`);
  return said!;
}

/** Objects by their kind and name, without what depends on who made them: the hash in a name, comments, the order of what has names. */
export function normalised(manifests: string): Map<string, KubernetesObject> {
  const text = manifests.replace(/(muster-scheduler-config)-[a-z0-9]{10}\b/g, "$1");
  const objects = parseAllDocuments(text).flatMap((document): KubernetesObject[] => {
    const object = document.toJS();
    if (!object) return [];
    const configuration = object.data?.["scheduler_config.yaml"];
    return [configuration ? { ...object, data: parse(configuration) } : object];
  });
  return new Map(
    objects.map((object) => {
      const { kind, metadata } = object;
      return [`${kind} ${metadata.namespace ?? ""}/${metadata.name}`, sorted(object)] as const;
    }).sort(([a], [b]) => a < b ? -1 : 1),
  );
}

function sorted<T>(value: T): T {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    const haveNames = items.length > 0 && items.every((item) => typeof item?.name === "string");
    return (haveNames ? items.toSorted((a, b) => a.name < b.name ? -1 : 1) : items) as T;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, sorted(part)]),
  ) as T;
}
