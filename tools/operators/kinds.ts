import { parseAllDocuments } from "yaml";
import type { ApiClient } from "../control_plane/api_client.ts";
import { applyManifests } from "../control_plane/manifests.ts";
import { untilReady } from "../control_plane/readiness.ts";
import { manifestsOf } from "./operator_source.ts";

/** A CustomResourceDefinition, as far as it says under which paths its kind is served. */
interface Definition {
  spec: {
    group: string;
    names: { plural: string };
    versions: { name: string; served: boolean }[];
  };
}

/** Installs the kinds that files of a module define; resolves when the API server serves them. */
export async function installKinds(
  api: ApiClient,
  source: { module: string; version: string; crds: readonly string[] },
): Promise<void> {
  const texts = await manifestsOf(source, source.crds);
  for (const text of texts) await applyManifests(api, text);
  const paths = texts.flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => pathsOf(document.toJS()));
  await untilReady(async () => {
    for (const { version, plural } of paths) {
      await api.list(`${version}/${plural}`);
      const { resources } = await api.get(version);
      if (!(resources as { name: string }[]).some(({ name }) => name === plural)) return false;
    }
    return true;
  }, { what: `the kinds of ${source.module}`, signal: new AbortController().signal });
}

function pathsOf({ spec }: Definition): { version: string; plural: string }[] {
  return spec.versions.filter(({ served }) => served)
    .map(({ name }) => ({ version: `/apis/${spec.group}/${name}`, plural: spec.names.plural }));
}
