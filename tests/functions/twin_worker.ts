/**
 * The Worker that is deployed, but for what a test decides about a request: its time, its variables, and a space of objects of
 * its own.
 *
 * @module
 */
import { policy } from "../../functions/policy.ts";
import type { Bindings } from "../../shared/store/embedded/bindings.ts";
import type {
  DurableObjectNamespace,
  DurableObjectState,
} from "../../shared/store/embedded/types.ts";
import { GangObject } from "../../shared/store/gang_object.ts";

export { IndexObject } from "../../shared/store/index_object.ts";

/** What a test decides about a request. */
export interface TwinRequest {
  url: string;
  /** Bindings that the host adds to those of its own. */
  origin: Record<string, unknown>;
  /** Ms since the epoch. */
  now: number;
  space: string;
  vars: Record<string, string>;
  /** Instead of asking the functions, calls the alarm of the gang group of that name. */
  ring?: string | undefined;
}

/** The bindings of this Worker. */
interface TwinBindings extends Omit<Bindings, "GANGS"> {
  GANGS: DurableObjectNamespace<TwinGangObject>;
}

const genuineNow = Date.now;

/** The platform knows nothing of the time that a test has chosen, and would fire alarms of a time that is past at once. */
class TwinGangObject extends GangObject {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    const { storage } = ctx;
    const setAlarm = storage.setAlarm.bind(storage);
    storage.setAlarm = (time) => setAlarm(Number(time) - Date.now() + genuineNow());
  }

  /** What the platform does when the alarm is due, or thinks so. */
  async ring(): Promise<void> {
    await this.alarm();
  }
}

export { TwinGangObject as GangObject };

export default {
  async fetch(request: Request, env: TwinBindings, ctx: never): Promise<Response> {
    const headers = new Headers(request.headers);
    const asked: TwinRequest = JSON.parse(decodeURIComponent(headers.get("x-twin")!));
    headers.delete("x-twin");
    Date.now = () => asked.now;
    const gangs = inSpace(asked.space, env.GANGS);
    if (asked.ring !== undefined) {
      await gangs.getByName(asked.ring).ring();
      return new Response();
    }
    const { method, body } = request;
    return await policy.fetch(new Request(asked.url, { method, headers, body }), {
      ...asked.vars,
      ...asked.origin,
      GANGS: gangs,
      INDEX: inSpace(asked.space, env.INDEX),
    }, ctx);
  },
};

function inSpace<T extends object>(
  space: string,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  const idFromName = (name: string) => namespace.idFromName(`${space}|${name}`);
  return {
    idFromName,
    getByName: (name) => namespace.get(idFromName(name)),
    get: (id) => namespace.get(id),
  };
}
