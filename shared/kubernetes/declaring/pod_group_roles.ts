/**
 * The parts of a gang with a minimum of their own, as PodGroups of Volcano and KAI declare them.
 *
 * @module
 */
import { limits } from "../../core/gang/limits.ts";
import { entered, textOf, type Written } from "./declaration.ts";
import type { PodGroupRole } from "./declared_roles.ts";
import type { RoleField, RoleSaying } from "./role_texts.ts";

/** The spec of a PodGroup, which may hold anything. */
export type Spec = Readonly<Record<string, unknown>> | undefined;

/** Volcano: how many members of a task are needed (`minTaskMember`); it looks at none where fewer are enough for the whole. */
export function volcanoRoles({ spec }: { spec?: Spec }): readonly PodGroupRole[] {
  const tasks = Object.entries(recordOf(spec?.["minTaskMember"]));
  const total = tasks.reduce((sum, [, min]) => sum + (typeof min === "number" ? min : 0), 0);
  const minMember = spec?.["minMember"];
  if (typeof minMember === "number" && minMember >= 1 && minMember < total) return [];
  return tasks.slice(0, mostRoles).map(([task, min]) => ({
    name: entered(task, limits.roleName),
    calls: task,
    sayings: said("min", min, "spec.minTaskMember"),
  }));
}

/** KAI: `subGroups`, one within another by its `parent`. */
export function kaiRoles({ spec }: { spec?: Spec }): readonly PodGroupRole[] {
  const list = spec?.["subGroups"];
  const groups = (Array.isArray(list) ? list : []).slice(0, mostRoles).map(recordOf);
  const named = new Map(groups.map((group) => [nameOf(group), group]));
  return groups.map((group) => {
    const { minMember, minSubGroup, topologyConstraint } = group;
    const { requiredTopologyLevel, preferredTopologyLevel } = recordOf(topologyConstraint);
    const isInner = groups.some(({ parent }) => parent === group["name"]);
    return {
      name: entered(pathOf(group, named), limits.roleName),
      calls: nameOf(group),
      sayings: [
        ...said("min", isInner ? minSubGroup : minMember, "spec.subGroups"),
        ...said("required", requiredTopologyLevel, "spec.subGroups"),
        ...said("preferred", preferredTopologyLevel, "spec.subGroups"),
      ],
    };
  });
}

function nameOf({ name }: Readonly<Record<string, unknown>>): string {
  return textOf(name);
}

/** One more than there may be: so many are a problem. */
const mostRoles = limits.roles + 1;

/** A circle of parents has no top: its path grows too long to be used. */
function pathOf(
  group: Readonly<Record<string, unknown>>,
  named: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
): string {
  const names = [nameOf(group)];
  let { parent } = group;
  while (typeof parent === "string" && parent !== "" && names.length < mostRoles) {
    names.unshift(parent);
    parent = named.get(parent)?.["parent"];
  }
  return names.length < mostRoles ? names.join("/") : "a circle of parents";
}

function said(field: RoleField, value: unknown, where: string): RoleSaying[] {
  if (value === undefined || value === null || value === "") return [];
  const written: Written = { text: entered(textOf(value), limits.nodeLabel), field: where };
  return [{ role: undefined, field, written }];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
