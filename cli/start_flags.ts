/**
 * The flags of `deno task start`.
 *
 * @module
 */
import { hostname } from "node:os";
import { Command, InvalidArgumentError, Option } from "commander";
import { addLogLevel, addPolicy, addPort } from "../functions/command_line.ts";
import type { LeaseOptions } from "../relay/kube/leadership.ts";
import { addExpectedDuration } from "./expected_duration.ts";
import { parseSchedulerNames, parseSeconds, parseUrl } from "./flag_values.ts";
import type { HealthAddress } from "./health_server.ts";
import { addRuntime } from "./policy_on_workerd.ts";
import { addStages } from "./policy/stage_flags.ts";
import { addTopologyLevels } from "./topology_levels.ts";

/** The command, with the flags of the functions and of stages of one's own. */
export function startCommand(): Command {
  const command = new Command("start")
    .description(
      "Run the relay, and the policy functions in the same process, for the scheduler of a cluster",
    )
    .addOption(
      new Option(
        "--kubeconfig <file>",
        "how to reach the cluster; absent: KUBECONFIG, ~/.kube/config, or the Pod's own",
      )
        .env("MUSTER_KUBECONFIG"),
    )
    .addOption(
      new Option(
        "--functions-url <url>",
        "policy functions that run elsewhere; absent: in this process",
      )
        .env("MUSTER_FUNCTIONS_URL").argParser(parseUrl),
    )
    .addOption(
      new Option(
        "--functions-token-file <file>",
        "bearer token for the functions at --functions-url, read for every call",
      )
        .env("MUSTER_FUNCTIONS_TOKEN_FILE"),
    )
    .addOption(
      new Option(
        "--scheduler-name <names>",
        "names that the scheduler answers to, separated by commas",
      )
        .env("MUSTER_SCHEDULER_NAME").default(["muster"], "muster").argParser(parseSchedulerNames),
    )
    .addOption(
      new Option(
        "--longest-hold <seconds>",
        "longest time that a bind call is held: less than the extender's httpTimeout",
      )
        .env("MUSTER_LONGEST_HOLD").default(3500).argParser(parseSeconds),
    )
    .addOption(
      new Option(
        "--lease <namespace/name>",
        "the schedulers' lease, where several elect a leader: only the relay beside the leader acts; absent: there is one scheduler",
      )
        .env("MUSTER_LEASE").argParser(parseLease),
    )
    .addOption(
      new Option(
        "--health-address <address:port>",
        "where /healthz, /readyz and /metrics are served too, and nothing else, for kubelet and Prometheus; without an address: on all, of IPv4 and IPv6; absent: nowhere",
      )
        .env("MUSTER_HEALTH_ADDRESS").argParser(parseAddress),
    )
    .addOption(
      new Option(
        "--evict <true|false>",
        "evict pods of lower priority for a gang as a whole; false: the scheduler evicts, for one member after another",
      )
        .env("MUSTER_EVICT").default(true).argParser(parseSwitch),
    )
    .addOption(
      new Option(
        "--admission-opt-in <true|false>",
        "admission is for namespaces that opt in, so that no gang is missed which comes without Muster's gate",
      )
        .env("MUSTER_ADMISSION_OPT_IN").default(false).argParser(parseSwitch),
    )
    .addOption(
      new Option(
        "--record <file>",
        "record what is decided about gangs, for deno task replay; absent: nothing is recorded",
      )
        .env("MUSTER_RECORD"),
    )
    .addOption(
      new Option("--record-hashed [true|false]", "record names as what stands for them")
        .env("MUSTER_RECORD_HASHED").default(false).preset("true").argParser(parseSwitch),
    );
  return addRuntime(
    addPolicy(
      addLogLevel(addPort(addExpectedDuration(addTopologyLevels(addStages(command))))),
    ),
  );
}

function parseLease(text: string): LeaseOptions {
  const [namespace, name, ...rest] = text.split("/");
  if (namespace && name && rest.length === 0) return { namespace, name, hostname: hostname() };
  throw new InvalidArgumentError(
    `"${text}" is not a namespace and a name, as "muster-system/muster-scheduler"`,
  );
}

function parseAddress(text: string): HealthAddress {
  const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))?:(\d+)$/.exec(text) ?? [];
  if (Number(port) <= 65535) return { hostname: bracketed ?? plain, port: Number(port) };
  throw new InvalidArgumentError(
    `"${text}" is neither a port, as ":8081", nor one of an address, as "127.0.0.1:8081"`,
  );
}

function parseSwitch(text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new InvalidArgumentError(`"${text}" is neither "true" nor "false"`);
}
