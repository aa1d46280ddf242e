import { openPolicy, type PolicyHost as EmbeddedHost } from "../../../functions/serve.ts";
import { type Group, groupId, groupName } from "../../../shared/core/gang/facts.ts";
import { queueKeys, type QueueUnit } from "../../../shared/core/queue/order.ts";
import { type ProfileName, profiles, type Settings } from "../../../shared/core/gang/settings.ts";
import type { StageEvent } from "../../../shared/core/stage/step.ts";
import { GangObject } from "../../../shared/store/gang_object.ts";
import { IndexObject } from "../../../shared/store/index_object.ts";
import { type PooledState, StoragePool } from "./memory_storage.ts";

/** Whatever answers the stages. */
export interface PolicyHost extends AsyncDisposable {
  /** The answer to a body, as the text of its JSON. */
  answer(stage: string, body: string): Promise<string>;
  /** Everything that is remembered is lost. */
  wipe(): Promise<void>;
  /** What is known of a gang, for messages. */
  describe(gang: string, group: string): Promise<unknown>;
}

const gangStates = new StoragePool("values");
const indexStates = new StoragePool("tables");

/** The store's own classes over storage in memory, asked as the functions ask them. */
export class DirectPolicy implements PolicyHost {
  readonly #settings: Settings;
  readonly #gangs = new Map<string, { object: GangObject; state: PooledState }>();
  #index: { object: IndexObject; state: PooledState } | undefined;

  constructor(profile: ProfileName) {
    this.#settings = profiles[profile];
  }

  async answer(stage: string, body: string): Promise<string> {
    const settings = this.#settings;
    if (stage === "queue-sort") {
      const { units } = JSON.parse(body) as { units: QueueUnit[] };
      const groups = units.flatMap(({ gang }) => gang ? [groupId(gang)] : []);
      const failedAt = new Map(this.#indexObject().queueTimes(groups, settings));
      return JSON.stringify({ keys: queueKeys(units, { failedAt, settings }) });
    }
    const { relay, gangs, composites, leftOut, ...more } = JSON.parse(body) as
      & Group
      & Record<string, unknown>;
    const group = { relay, gangs, composites, leftOut };
    const event = { stage, group, settings, ...more } as StageEvent;
    const name = groupName(group);
    const answered = await this.#ask(this.#gangObject(name), event);
    if (answered.gone) this.#indexObject().forget(name, answered.gone);
    else if (answered.lines.length > 0) await this.#indexObject().record(answered.lines, settings);
    const isSwitch = settings.gangSwitch && stage === "prefilter" &&
      answered.answer.verdict === "allow" && !answered.isOld;
    const askAgain = isSwitch ? this.#indexObject().switchTo(name) : undefined;
    if (askAgain === undefined) return JSON.stringify(answered.answer);
    this.#gangObject(askAgain).abandon(name);
    this.#gangObject(name).keepAskAgain(relay, askAgain);
    return JSON.stringify({ ...answered.answer, askAgain });
  }

  wipe(): Promise<void> {
    for (const { state } of this.#gangs.values()) gangStates.put(state);
    this.#gangs.clear();
    if (this.#index) indexStates.put(this.#index.state);
    this.#index = undefined;
    return Promise.resolve();
  }

  describe(gang: string, group: string): Promise<unknown> {
    return Promise.resolve(this.#gangObject(group).describe(gang));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.wipe();
  }

  #ask(object: GangObject, event: StageEvent) {
    switch (event.stage) {
      case "prefilter":
        return object.prefilter(event);
      case "permit":
        return object.permit(event);
      case "postfilter":
        return object.postfilter(event);
      case "unreserve":
        return object.unreserve(event);
    }
  }

  #gangObject(name: string): GangObject {
    const known = this.#gangs.get(name);
    if (known) return known.object;
    const state = gangStates.take();
    const object = new GangObject(state, {});
    this.#gangs.set(name, { object, state });
    return object;
  }

  #indexObject(): IndexObject {
    if (!this.#index) {
      const state = indexStates.take();
      this.#index = { object: new IndexObject(state, {}), state };
    }
    return this.#index.object;
  }
}

/** The functions themselves, over the embedded store in a folder. */
export class EmbeddedPolicy implements PolicyHost {
  readonly #profile: ProfileName;
  #dir = "";
  #host: EmbeddedHost | undefined;

  constructor(profile: ProfileName) {
    this.#profile = profile;
  }

  async answer(stage: string, body: string): Promise<string> {
    const response = await this.#serve(`/v1/${stage}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-muster-cluster": "history" },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${stage} answers ${response.status}: ${text} to ${body}`);
    return text;
  }

  async wipe(): Promise<void> {
    const [host, dir] = [this.#host, this.#dir];
    this.#host = undefined;
    if (!host) return;
    await host.close();
    await Deno.remove(dir, { recursive: true });
  }

  async describe(gang: string): Promise<unknown> {
    const headers = { "x-muster-cluster": "history" };
    return await (await this.#serve(`/v1/gangs/${gang}`, { headers })).json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.wipe();
  }

  #serve(path: string, init: RequestInit): Promise<Response> {
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "127.0.0.1", port: 0 };
    const request = new Request(`http://localhost${path}`, init);
    return this.#open().serve(request, { remoteAddr, completed: Promise.resolve() });
  }

  #open(): EmbeddedHost {
    if (!this.#host) {
      this.#dir = Deno.makeTempDirSync({ prefix: "muster-history-" });
      this.#host = openPolicy({ store: this.#dir, vars: { MUSTER_PROFILE: this.#profile } });
    }
    return this.#host;
  }
}
