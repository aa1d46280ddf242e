/**
 * What the gangs of a history declare as time goes by, and the objects that say it.
 *
 * @module
 */
import { firstTreeGang, type GangPlan, namespaceOf, podGroupGang, podGroupOf } from "./gangs.ts";
import type { History } from "./history.ts";
import type { Declared, ModelApi } from "./model_api.ts";
import { compositesIn, objectsOf, type TreePlan, withNeeds } from "./trees.ts";

/** Gangs by their numbers, and their PodGroups and CompositePodGroups. */
export class Declarations {
  readonly #api: ModelApi;
  readonly #history: History;
  readonly #minMembers: number[];
  #tree: TreePlan | undefined;

  constructor(api: ModelApi, history: History) {
    this.#api = api;
    this.#history = history;
    this.#minMembers = history.gangs.map(({ minMember }) => minMember);
    this.#tree = history.tree;
  }

  /** Gangs 2 and 3 are a group, and so are those of the tree. */
  planOf(gang: number): GangPlan {
    const { gangs, isMixed } = this.#history;
    const first = gang === 3 ? 2 : Math.min(gang, firstTreeGang);
    const plan = gangs[isMixed ? gang : first]!;
    return { ...plan, priority: gangs[first]!.priority, minMember: this.#minMembers[gang]! };
  }

  /** Members of a gang are about to come: what declares it is there. */
  gangComes(gang: number): void {
    const isNew = !this.#api.podGroups.has(`${namespaceOf(gang)}/g${gang}`);
    if (gang === podGroupGang && isNew) this.#api.declare(podGroupOf(this.#minMembers[gang]!));
    if (gang >= firstTreeGang) this.#declareTree(() => true);
  }

  /** Members that come from now on, or its PodGroup, say another minMember. */
  changeMinMember(gang: number, minMember: number): void {
    this.#minMembers[gang] = minMember;
    if (gang === podGroupGang) this.#api.declare(podGroupOf(minMember));
    this.#declareTree(({ metadata: { name } }) => name === `g${gang}`);
  }

  /** One of the CompositePodGroups needs so many of its parts. */
  changeNeeds({ which, needs }: { which: number; needs: number }): void {
    if (!this.#tree) return;
    const composites = compositesIn(this.#tree);
    const { name } = composites[which % composites.length]!;
    this.#tree = withNeeds(this.#tree, name, needs);
    this.#declareTree(({ metadata }) => metadata.name === name);
  }

  /** One of the tree's objects is gone. */
  revokeOfTree(which: number): void {
    const objects = this.#objectsOfTree();
    if (objects.length > 0) this.#api.revoke(objects[which % objects.length]!);
  }

  #objectsOfTree(): readonly Declared[] {
    return this.#tree ? objectsOf(this.#tree, this.#minMembers) : [];
  }

  #declareTree(isMeant: (declared: Declared) => boolean): void {
    for (const declared of this.#objectsOfTree().filter(isMeant)) this.#api.declare(declared);
  }
}
