import type { ControlPlane } from "../control_plane/control_plane.ts";
import { applyKustomization, deployAdmission } from "../control_plane/manifests.ts";
import { type Muster, type MusterOptions, startMuster } from "../control_plane/muster.ts";
import { nativePodGroupArgs, nativeSchedulerArgs } from "../control_plane/native_pod_groups.ts";
import { freePorts } from "../control_plane/ports.ts";
import { startScheduler } from "../control_plane/scheduler.ts";
import { startControlPlane } from "../control_plane/start_control_plane.ts";
import { gateLabel, gateParameter } from "../../shared/kubernetes/writes.ts";
import { type Declaration, LoadClient, NAMESPACE, priorityClasses } from "./load_client.ts";
import { CallRecorder } from "./call_recorder.ts";
import { type Floor, startFloorExtender } from "./floor.ts";
import { cpuSecondsOf, cpuSecondsOfAll } from "./cpu_seconds.ts";
import { GPUS_PER_NODE, NODES_PER_RACK } from "./work.ts";

/** Requests that create nodes at the same time. */
const NODE_CREATORS = 16;

/** A way to schedule gangs, or not to. */
export interface System {
  /** One phrase for the report. */
  description: string;
  declaration: Declaration;
  hasMuster: boolean;
  /** With an extender that decides nothing, and what it does. */
  floor?: Floor;
  /** With the admission policies of deploy/admission. */
  hasAdmission?: boolean;
  apiServerArgs?: string[];
  schedulerArgs?: string[];
}

/** The systems by the name that `--systems` takes. All run the same binaries with the same scheduler configuration. */
export const systems: Record<string, System> = {
  plain: {
    description: "kube-scheduler, which knows no gangs",
    declaration: {},
    hasMuster: false,
  },
  floor: {
    description:
      "kube-scheduler with an extender on Deno that decides nothing, which any extender costs",
    declaration: {},
    hasMuster: false,
    floor: "binds",
  },
  holding: {
    description:
      "the same, but it binds no member of a gang before all are to be bound, which any gang costs that is bound as one",
    declaration: {},
    hasMuster: false,
    floor: "holds",
  },
  native: {
    description: "kube-scheduler with its own gang scheduling, which is beta in Kubernetes 1.37",
    declaration: { podGroups: true },
    hasMuster: false,
    apiServerArgs: nativePodGroupArgs,
    schedulerArgs: nativeSchedulerArgs,
  },
  adaptive: {
    description: "Muster as installed by default: pods get the scheduling gate while gangs queue",
    declaration: {},
    hasMuster: true,
    hasAdmission: true,
  },
  gated: {
    description: "Muster, every pod created with the scheduling gate",
    declaration: { isGated: true },
    hasMuster: true,
  },
  ungated: {
    description: "Muster, no pod with the scheduling gate",
    declaration: {},
    hasMuster: true,
  },
};

/** A system on a control plane of its own. */
export class RunningSystem implements AsyncDisposable {
  readonly client: LoadClient;
  readonly controlPlane: ControlPlane;
  /** Where the bind calls are recorded, if they are. */
  readonly recorder: CallRecorder | undefined;
  /** Undefined where it has none. */
  readonly muster: Muster | undefined;
  /** URL of the inspector in Muster's process, if there is one. */
  readonly inspectorUrl: string | undefined;
  readonly #hasAdmission: boolean;
  #nodes = 0;

  private constructor(parts: {
    controlPlane: ControlPlane;
    recorder: CallRecorder | undefined;
    muster: Muster | undefined;
    inspectorUrl: string | undefined;
    hasAdmission: boolean;
  }) {
    this.muster = parts.muster;
    this.#hasAdmission = parts.hasAdmission;
    this.controlPlane = parts.controlPlane;
    this.recorder = parts.recorder;
    this.inspectorUrl = parts.inspectorUrl;
    this.client = new LoadClient(parts.controlPlane.connection("admin"));
  }

  /** Starts a system without nodes in a folder; `isRecorded` puts a proxy between scheduler and Muster. */
  static async start(
    system: System,
    options: {
      dir: string;
      isRecorded: boolean;
      isProfiled: boolean;
      /** More options of Muster; a function is called once the API server answers. */
      muster?: (controlPlane: ControlPlane) => Promise<MusterOptions> | MusterOptions;
    },
  ): Promise<RunningSystem> {
    const controlPlane = await startControlPlane({
      dir: options.dir,
      withoutControllers: true,
      extraApiServerArgs: system.apiServerArgs ?? [],
    });
    try {
      await prepare(controlPlane);
      if (system.hasAdmission) await applyKustomization(controlPlane.api, deployAdmission);
      const { inspector } = freePorts(["inspector"]);
      const muster = system.hasMuster
        ? await startMuster(controlPlane, {
          denoArgs: options.isProfiled ? [`--inspect=127.0.0.1:${inspector}`] : [],
          ...await options.muster?.(controlPlane),
        })
        : undefined;
      const floorUrl = system.floor && await startFloorExtender(controlPlane, system.floor);
      const recorder = muster && options.isRecorded ? new CallRecorder(muster.url) : undefined;
      await startScheduler(controlPlane, {
        extraArgs: system.schedulerArgs ?? [],
        ...(muster && { extenderUrl: recorder?.url ?? muster.url }),
        ...(floorUrl && { extenderUrl: floorUrl }),
      });
      const inspectorUrl = muster && options.isProfiled
        ? `http://127.0.0.1:${inspector}`
        : undefined;
      const hasAdmission = system.hasAdmission ?? false;
      return new RunningSystem({ controlPlane, recorder, muster, inspectorUrl, hasAdmission });
    } catch (error) {
      await controlPlane.stop();
      throw error;
    }
  }

  /** Adds nodes until there are `count`. */
  async growTo(count: number): Promise<void> {
    const addSome = async () => {
      while (this.#nodes < count) {
        const rack = `rack-${Math.floor(this.#nodes / NODES_PER_RACK)}`;
        await addNode(this.controlPlane, { name: `node-${++this.#nodes}`, rack });
      }
    };
    await Promise.all(Array.from({ length: NODE_CREATORS }, addSome));
  }

  /** Resolves when no pod is gated any more because of the work before. */
  async untilAtRest(): Promise<void> {
    if (!this.#hasAdmission) return;
    const { namespace, name } = gateParameter;
    await this.controlPlane.api.watchUntil(
      `/api/v1/namespaces/${namespace}/configmaps?fieldSelector=metadata.name%3D${name}`,
      (parameters) => parameters.every(({ metadata }) => metadata.labels?.[gateLabel] === "off"),
    );
  }

  /** CPU seconds used so far by each process, by this one as `bench`, and by whatever else runs on the machine as `others`. */
  async cpuSeconds(): Promise<Record<string, number>> {
    const running = this.controlPlane.processes.filter((process) => process.running);
    const own: Record<string, number> = { bench: await cpuSecondsOf(Deno.pid) };
    for (const { name, pid } of running) own[name] = await cpuSecondsOf(pid);
    const ownSum = Object.values(own).reduce((sum, seconds) => sum + seconds, 0);
    return { ...own, others: await cpuSecondsOfAll() - ownSum };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client[Symbol.dispose]();
    await this.controlPlane.stop();
    await this.recorder?.stop();
  }
}

async function prepare({ api }: ControlPlane): Promise<void> {
  await api.create("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  for (const priorityClass of priorityClasses()) {
    await api.create("/apis/scheduling.k8s.io/v1/priorityclasses", priorityClass);
  }
}

/** Nobody reports for this node, so it costs nothing, and nobody but this function takes its taint away. */
async function addNode(
  { api }: ControlPlane,
  { name, rack }: { name: string; rack: string },
): Promise<void> {
  const quantities = {
    cpu: "64",
    memory: "256Gi",
    pods: "110",
    "nvidia.com/gpu": String(GPUS_PER_NODE),
  };
  await api.create("/api/v1/nodes", {
    metadata: { name, labels: { "kubernetes.io/hostname": name, rack } },
    status: {
      allocatable: quantities,
      capacity: quantities,
      conditions: [{ type: "Ready", status: "True", reason: "Bench" }],
    },
  });
  await api.patch(`/api/v1/nodes/${name}`, { spec: { taints: null } });
}
