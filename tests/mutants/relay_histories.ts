/**
 * Histories through the whole of relay, store and a model scheduler, for faults in the decisions of a running relay.
 *
 * @module
 */
import fc from "fast-check";
import { decisions } from "../../shared/core/attend/decisions.ts";
import {
  crowds,
  histories,
  type History,
  mixtures,
  places,
  rivals,
  trees,
} from "../property/histories/history.ts";
import { DirectPolicy } from "../property/histories/policy_host.ts";
import { live } from "../property/histories/simulation.ts";

const strict = ["default", "koordinator"] as const;
const kinds: Readonly<Record<string, fc.Arbitrary<History>>> = {
  histories: histories("default", "sigs", "koordinator"),
  mixtures: mixtures("default", "sigs", "koordinator"),
  trees: trees("default", "sigs", "koordinator"),
  rivals: rivals(...strict),
  crowds: crowds(...strict),
  places: places(...strict),
};

for (const [kind, arbitrary] of Object.entries(kinds)) {
  for (const [index, history] of fc.sample(arbitrary, { numRuns: 20, seed: 1 }).entries()) {
    Deno.test(`mutants: ${kind} through the relay, ${index}`, async () => {
      await live(history, { policyOf: (profile) => new DirectPolicy(profile), decisions });
    });
  }
}
