import { parseAllDocuments } from "yaml";
import type { KubernetesObject } from "../control_plane/api_client.ts";

const page = new URL("../../docs/operators.md", import.meta.url);

const yamlBlock = /^ *```yaml\n([^]*?)^ *```/gm;

/** The manifests that docs/operators.md shows, in its order: what a story applies is what is documented. */
export async function documentedManifests(): Promise<KubernetesObject[]> {
  const text = await Deno.readTextFile(page);
  return [...text.matchAll(yamlBlock)]
    .flatMap(([, block = ""]) => parseAllDocuments(block))
    .map((document) => document.toJS());
}
