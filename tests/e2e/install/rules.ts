import type { AuditEvent } from "../../../tools/control_plane/audit.ts";
import type { KubernetesObject } from "../../../tools/control_plane/api_client.ts";

/** One thing that a role allows: `name` is that of the only object that it allows it for. */
export interface Permission {
  readonly verb: string;
  readonly group: string;
  /** With its subresource, such as `pods/status`. */
  readonly resource: string;
  readonly name?: string;
}

/** Everything that roles allow, one by one. */
export function permissionsOf(roles: readonly KubernetesObject[]): Permission[] {
  interface Rule {
    apiGroups: string[];
    resources: string[];
    resourceNames?: string[];
    verbs: string[];
  }
  return roles.flatMap((role) => role["rules"] as Rule[]).flatMap((rule) =>
    rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        rule.verbs.flatMap((verb) =>
          (rule.resourceNames ?? [undefined]).map((name) => ({
            verb,
            group,
            resource,
            ...(name !== undefined && { name }),
          }))
        )
      )
    )
  );
}

/** What a request needs; undefined for what is no resource, such as `/apis`. */
export function needOf({ verb, objectRef }: AuditEvent): Permission | undefined {
  if (!objectRef) return undefined;
  const { apiGroup = "", resource, subresource, name } = objectRef;
  return {
    verb,
    group: apiGroup,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(name !== undefined && { name }),
  };
}

/** Whether a permission is enough for a need. */
export function allows(permission: Permission, need: Permission): boolean {
  return permission.verb === need.verb && permission.group === need.group &&
    permission.resource === need.resource &&
    (permission.name === undefined || permission.name === need.name);
}

/** As in `patch podgroups/status.scheduling.k8s.io`. */
export function describe({ verb, group, resource, name }: Permission): string {
  const of = group === "" ? "" : `.${group}`;
  return `${verb} ${resource}${of}${name === undefined ? "" : ` "${name}"`}`;
}
