/**
 * Trees of native PodGroups and CompositePodGroups.
 *
 * @module
 */
import { apiVersionOf } from "../../../tools/sandbox/resources.ts";
import { firstTreeGang, namespaceOf } from "./gangs.ts";
import { compositePodGroups, type Declared, nativePodGroups } from "./model_api.ts";

/** A CompositePodGroup: so many of its parts are needed, which are gangs by their numbers, and others within it. */
export interface TreePlan {
  readonly name: string;
  readonly needs: number;
  readonly parts: readonly (number | TreePlan)[];
}

/** A CompositePodGroup of the tree, and those within it. */
export function compositesIn(tree: TreePlan): readonly TreePlan[] {
  return [
    tree,
    ...tree.parts.flatMap((part) => typeof part === "number" ? [] : compositesIn(part)),
  ];
}

/** The tree, of which the composite of that name needs so many of its parts. */
export function withNeeds(tree: TreePlan, name: string, needs: number): TreePlan {
  return {
    ...tree,
    needs: tree.name === name ? needs : tree.needs,
    parts: tree.parts.map((part) => typeof part === "number" ? part : withNeeds(part, name, needs)),
  };
}

/** What declares a tree; `minMembers` are those of its gangs, by their numbers. */
export function objectsOf(tree: TreePlan, minMembers: readonly number[]): readonly Declared[] {
  const within = (composite: TreePlan, parent: string | undefined): readonly Declared[] => [
    objectOf(composite, parent),
    ...composite.parts.flatMap((part) =>
      typeof part === "number"
        ? [nativePodGroupOf(part, { minMember: minMembers[part]!, parent: composite.name })]
        : within(part, composite.name)
    ),
  ];
  return within(tree, undefined);
}

function objectOf({ name, needs }: TreePlan, parent: string | undefined): Declared {
  return {
    apiVersion: apiVersionOf(compositePodGroups),
    kind: compositePodGroups.kind,
    metadata: { namespace: namespaceOf(firstTreeGang), name },
    spec: {
      schedulingPolicy: { gang: { minGroupCount: needs } },
      ...(parent !== undefined && { parentCompositePodGroupName: parent }),
    },
  };
}

function nativePodGroupOf(
  gang: number,
  { minMember, parent }: { minMember: number; parent: string },
): Declared {
  return {
    apiVersion: apiVersionOf(nativePodGroups),
    kind: nativePodGroups.kind,
    metadata: { namespace: namespaceOf(gang), name: `g${gang}` },
    spec: {
      schedulingPolicy: { gang: { minCount: minMember } },
      parentCompositePodGroupName: parent,
    },
  };
}
