/**
 * Records anew the histories that are in {@linkcode ./recordings}: `deno run -A tests/core/record/record_histories.ts`.
 *
 * @module
 */
import fc from "fast-check";
import { gzipSync } from "node:zlib";
import { decisions } from "../../../shared/core/attend/decisions.ts";
import { Recorder } from "../../../shared/core/record/recorder.ts";
import { histories, mixtures, rivals } from "../../property/histories/history.ts";
import { DirectPolicy } from "../../property/histories/policy_host.ts";
import { live } from "../../property/histories/simulation.ts";
import { MemoryTape } from "../../support/tape.ts";

const all = {
  histories: histories("default", "default", "sigs", "koordinator"),
  mixtures: mixtures("default", "default", "sigs", "koordinator"),
  rivals: rivals("default", "koordinator"),
};
/** Those, of each kind, by which most small faults in the core are noticed that nothing else notices. */
const chosen: readonly (readonly [kind: keyof typeof all, number: number])[] = [
  ["histories", 27],
  ["histories", 33],
  ["mixtures", 8],
  ["mixtures", 23],
  ["mixtures", 24],
  ["mixtures", 27],
  ["rivals", 38],
];

for (const [kind, number] of chosen) {
  const history = fc.sample(all[kind], { numRuns: 40, seed: 11 })[number]!;
  const tape = new MemoryTape();
  await live(history, {
    policyOf: (profile) => new DirectPolicy(profile),
    decisions: new Recorder(decisions, tape),
  });
  const text = tape.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const name = `history_${kind}_${number}.recording.gz`;
  await Deno.writeFile(new URL(`recordings/${name}`, import.meta.url), gzipSync(text));
}
