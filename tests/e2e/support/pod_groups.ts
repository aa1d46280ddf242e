import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { ApiClient, KubernetesObject } from "../../../tools/control_plane/api_client.ts";
import { until } from "./until.ts";

/** API groups whose PodGroup is a custom resource. */
export type PodGroupApi =
  | "scheduling.sigs.k8s.io"
  | "scheduling.x-k8s.io"
  | "incubator.scheduling.k8s.io"
  | "scheduling.volcano.sh"
  | "scheduling.run.ai";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/**
 * Installs the definition of an API group's PodGroup, unless it is there; resolves when PodGroups can be created. Without the
 * subresource their status is a field like any other.
 */
export async function installPodGroups(
  api: ApiClient,
  group: PodGroupApi,
  options: { withoutSubresource?: boolean } = {},
): Promise<void> {
  const name = `podgroups.${group}`;
  const definition = await definitionOf(group);
  if (options.withoutSubresource) {
    for (const version of definition.spec.versions) delete version.subresources;
  }
  await api.patch(`${definitions}/${name}`, definition, { type: "apply" });
  await until(
    name,
    async () => (await api.list(`/apis/${apiVersionOf(group)}/podgroups`)) !== undefined,
  );
}

/** The version of an API group's PodGroup, with its group. */
export function apiVersionOf(group: PodGroupApi): string {
  return `${group}/${versions[group] ?? "v1alpha1"}`;
}

const versions: { [Group in PodGroupApi]?: string } = {
  "scheduling.volcano.sh": "v1beta1",
  "scheduling.run.ai": "v2alpha2",
};

/** Deletes the definition, and with it every PodGroup of the kind; resolves when they are gone. */
export async function uninstallPodGroups(api: ApiClient, group: PodGroupApi): Promise<void> {
  const name = `podgroups.${group}`;
  await api.delete(`${definitions}/${name}`);
  await api.watchUntil(definitions, (all) => !all.some(({ metadata }) => metadata.name === name));
}

async function definitionOf(
  group: PodGroupApi,
): Promise<{ spec: { versions: { name: string; subresources?: object }[] } }> {
  if (group === "scheduling.x-k8s.io") return schedulerPlugins;
  if (group in versions) return anyFields(group);
  const file = new URL(`../../../deploy/crds/${group}_podgroups.yaml`, import.meta.url);
  return parse(await Deno.readTextFile(fileURLToPath(file)));
}

/** A definition that leaves its fields open, without a status subresource. */
function anyFields(group: PodGroupApi) {
  const [, name = ""] = apiVersionOf(group).split("/");
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `podgroups.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "PodGroup", plural: "podgroups", singular: "podgroup" },
      versions: [{ name, served: true, storage: true, schema: { openAPIV3Schema: anything } }],
    },
  };
}

/** As much of scheduler-plugins' own definition as Muster reads. */
const schedulerPlugins = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: "podgroups.scheduling.x-k8s.io",
    annotations: {
      "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/scheduler-plugins/pull/50",
    },
  },
  spec: {
    group: "scheduling.x-k8s.io",
    scope: "Namespaced",
    names: { kind: "PodGroup", plural: "podgroups", singular: "podgroup" },
    versions: [{
      name: "v1alpha1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                minMember: { type: "integer" },
                minResources: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                scheduleTimeoutSeconds: { type: "integer" },
              },
            },
            // Not a subresource, as in its oldest versions.
            status: {
              type: "object",
              properties: {
                phase: { type: "string" },
                occupiedBy: { type: "string" },
                running: { type: "integer" },
                succeeded: { type: "integer" },
                failed: { type: "integer" },
                scheduleStartTime: { type: "string", format: "date-time" },
              },
            },
          },
        },
      },
    }],
  },
};

/** The PodGroups of one kind in one namespace. */
export class PodGroups {
  readonly #api: ApiClient;
  readonly #apiVersion: string;
  /** REST path. */
  readonly path: string;

  /** `apiVersion` is such as `scheduling.sigs.k8s.io/v1alpha1`. */
  constructor(api: ApiClient, options: { apiVersion: string; namespace: string }) {
    this.#api = api;
    this.#apiVersion = options.apiVersion;
    this.path = `/apis/${options.apiVersion}/namespaces/${options.namespace}/podgroups`;
  }

  /** Creates one. */
  create(
    name: string,
    spec: object,
    annotations: Record<string, string> = {},
  ): Promise<KubernetesObject> {
    const { metadata, ...rest } = this.#object(name, spec);
    return this.#api.create(this.path, { ...rest, metadata: { ...metadata, annotations } });
  }

  /** Changes fields of it; null removes one. */
  patch(
    name: string,
    change: { spec?: object; annotations?: Record<string, string | null> },
  ): Promise<KubernetesObject> {
    const { spec, annotations } = change;
    return this.#api.patch(`${this.path}/${name}`, {
      ...(spec && { spec }),
      ...(annotations && { metadata: { annotations } }),
    });
  }

  /** Resolves when one has a status that `matches`, and gives it. */
  async untilStatus(
    name: string,
    // deno-lint-ignore no-explicit-any -- tests read any field of any kind
    matches: (status: any) => boolean,
  ): Promise<KubernetesObject["status"]> {
    const found = (all: KubernetesObject[]) =>
      all.find(({ metadata, status }) => metadata.name === name && status && matches(status));
    const isFound = (all: KubernetesObject[]) => found(all) !== undefined;
    try {
      return found(await this.#api.watchUntil(this.path, isFound))!["status"];
    } catch (cause) {
      if (!(cause instanceof Error && cause.message.startsWith("Waited"))) throw cause;
      const all = await this.#api.list(this.path);
      const said = all.map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`);
      throw new Error(
        `Waited in vain for a status of PodGroup "${name}" that is ${matches}; now: ${said}`,
        { cause },
      );
    }
  }

  /** Deletes one, and resolves when it is gone. */
  async delete(name: string): Promise<void> {
    await this.#api.delete(`${this.path}/${name}`);
    await this.#api.watchUntil(
      this.path,
      (all) => !all.some(({ metadata }) => metadata.name === name),
    );
  }

  /** Resolves when the API server would give a new one a later creation time, which has whole seconds, than `time`. */
  async untilAfter(time: string, spec: object): Promise<void> {
    await until(`a creation time after ${time}`, async () => {
      const { metadata } = await this.#api.create(
        `${this.path}?dryRun=All`,
        this.#object("clock", spec),
      );
      return Date.parse(metadata.creationTimestamp ?? "") > Date.parse(time);
    });
  }

  #object(name: string, spec: object) {
    return { apiVersion: this.#apiVersion, kind: "PodGroup", metadata: { name }, spec };
  }
}
