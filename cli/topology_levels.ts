/**
 * The option that names the levels of the network.
 *
 * @module
 */
import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type TopologyLevel,
  topologyLevels,
} from "../shared/kubernetes/declaring/topology_level.ts";

/** Adds `--topology-levels`. */
export function addTopologyLevels(command: Command): Command {
  return command.addOption(
    new Option(
      "--topology-levels <labels>",
      "node labels of the levels of the network, the widest first, as zone,block,rack; <name>=<label> where others name a level otherwise; absent: each label stands for itself",
    )
      .env("MUSTER_TOPOLOGY_LEVELS").default([], "none").argParser(parse),
  );
}

function parse(text: string): readonly TopologyLevel[] {
  try {
    return text === "" ? [] : topologyLevels(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
