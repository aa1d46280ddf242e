/**
 * The PodGroups of a cluster, and the CompositePodGroups that they are in.
 *
 * @module
 */
import { limits } from "../core/gang/limits.ts";
import {
  type CompositePodGroup,
  type Hierarchy,
  isLoose,
  parentOf,
} from "../kubernetes/declaring/composite_pod_group.ts";
import {
  nativePodGroup,
  type PodGroup,
  type PodGroupKind,
  saysSame,
} from "../kubernetes/declaring/pod_group.ts";

/** What is in a CompositePodGroup, by name. */
interface Children {
  readonly podGroups: Map<string, PodGroup>;
  readonly composites: Map<string, CompositePodGroup>;
}

/** Those that there are. Changes give the gangs, as `namespace/name`, that may be declared otherwise than before. */
export class PodGroups {
  readonly #podGroups = new Map<string, PodGroup>();
  /** By `namespace/name`. */
  readonly #composites = new Map<string, CompositePodGroup>();
  /** By `namespace/name` of the parent, whether that is there or not. */
  readonly #children = new Map<string, Children>();

  /** A PodGroup of a kind. */
  find(kind: PodGroupKind, namespace: string, name: string): PodGroup | undefined {
    return this.#podGroups.get(keyOf(kind, `${namespace}/${name}`));
  }

  /** The CompositePodGroups of a namespace. */
  hierarchyOf(namespace: string): Hierarchy {
    const within = (name: string) => this.#children.get(`${namespace}/${name}`);
    return {
      find: (name) => this.#composites.get(`${namespace}/${name}`),
      podGroupsIn: (name) => [...within(name)?.podGroups.values() ?? []],
      compositesIn: (name) => [...within(name)?.composites.values() ?? []],
    };
  }

  /** The CompositePodGroups that a native PodGroup is in, the nearest first, as `namespace/name`; they need not be there. */
  compositesOf(podGroup: string): string[] {
    const object = this.#podGroups.get(keyOf(nativePodGroup, podGroup));
    const parent = object && parentIdOf(object);
    return parent === undefined ? [] : this.#pathFrom(parent);
  }

  /** A PodGroup was added or changed; its status says what the relay knows already. */
  changed(kind: PodGroupKind, podGroup: PodGroup): string[] {
    const id = idOf(podGroup);
    const before = this.#podGroups.get(keyOf(kind, id));
    if (before && saysSame(before, podGroup)) return [];
    this.#podGroups.set(keyOf(kind, id), podGroup);
    if (kind !== nativePodGroup) return [id];
    const left = before ? this.#leave("podGroups", before) : [];
    return [...new Set([id, ...left, ...this.#join("podGroups", podGroup)])];
  }

  /** A PodGroup is gone. */
  deleted(kind: PodGroupKind, podGroup: PodGroup): string[] {
    const id = idOf(podGroup);
    this.#podGroups.delete(keyOf(kind, id));
    return kind === nativePodGroup
      ? [...new Set([id, ...this.#leave("podGroups", podGroup)])]
      : [id];
  }

  /** A CompositePodGroup was added or changed. */
  compositeChanged(composite: CompositePodGroup): string[] {
    const id = idOf(composite);
    const before = this.#composites.get(id);
    if (before && saysSame(before, composite)) return [];
    const left = before ? this.compositeDeleted(before) : [];
    this.#composites.set(id, composite);
    const joined = this.#join("composites", composite);
    return [...new Set([...left, ...joined, ...this.#familyOf(id)])];
  }

  /** A CompositePodGroup is gone. */
  compositeDeleted(composite: CompositePodGroup): string[] {
    const family = this.#familyOf(idOf(composite));
    this.#composites.delete(idOf(composite));
    return [...new Set([...family, ...this.#leave("composites", composite)])];
  }

  #join(as: keyof Children, object: PodGroup): string[] {
    const parent = parentIdOf(object);
    if (parent === undefined) return [];
    const children = this.#children.get(parent) ?? { podGroups: new Map(), composites: new Map() };
    this.#children.set(parent, children);
    children[as].set(object.metadata.name, object);
    return this.#hearingOf(as, parent);
  }

  /** Gives those that it was with. */
  #leave(as: keyof Children, object: PodGroup): string[] {
    const parent = parentIdOf(object);
    const children = parent === undefined ? undefined : this.#children.get(parent);
    if (parent === undefined || !children) return [];
    const hearing = this.#hearingOf(as, parent);
    children[as].delete(object.metadata.name);
    if (children.podGroups.size + children.composites.size === 0) this.#children.delete(parent);
    return hearing;
  }

  /** Gangs to which it is news that one comes to a CompositePodGroup, or leaves it. */
  #hearingOf(as: keyof Children, parent: string): string[] {
    return as === "podGroups" ? this.#besideIn(parent) : this.#familyOf(parent);
  }

  /** All gangs of the tree that a CompositePodGroup, which need not be there, is in. */
  #familyOf(id: string): string[] {
    return [...this.#gangsIn(this.#pathFrom(id).at(-1)!, new Set())];
  }

  /** Those beside which a PodGroup in it starts; none where they are too many for that with it and without it. */
  #besideIn(id: string): string[] {
    const root = this.#pathFrom(id).findLast((each) => {
      const composite = this.#composites.get(each);
      return composite !== undefined && !isLoose(composite);
    });
    if (root === undefined) return [];
    const gangs = this.#gangsIn(root, new Set()).take(limits.groupGangs + 2).toArray();
    return gangs.length > limits.groupGangs + 1 ? [] : gangs;
  }

  /** A CompositePodGroup and those above it, as `namespace/name`; they need not be there. */
  #pathFrom(id: string): string[] {
    const path: string[] = [];
    for (let up: string | undefined = id; up !== undefined && !path.includes(up);) {
      path.push(up);
      const composite = this.#composites.get(up);
      up = composite && parentIdOf(composite);
    }
    return path;
  }

  *#gangsIn(id: string, seen: Set<string>): Generator<string> {
    if (seen.has(id)) return;
    seen.add(id);
    const { podGroups, composites } = this.#children.get(id) ?? {};
    for (const podGroup of podGroups?.values() ?? []) yield idOf(podGroup);
    for (const composite of composites?.values() ?? []) yield* this.#gangsIn(idOf(composite), seen);
  }
}

function idOf({ metadata }: PodGroup): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function parentIdOf(object: PodGroup): string | undefined {
  const name = parentOf(object);
  return name === undefined ? undefined : `${object.metadata.namespace}/${name}`;
}

function keyOf(kind: PodGroupKind, id: string): string {
  return `${kind.group}|${id}`;
}
