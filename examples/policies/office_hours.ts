/**
 * Office hours: large gangs start at night and at weekends, so that people find room while they work.
 *
 * LARGE      a gang that asks for more GPUs is large; absent: 4
 * HOURS      during which none of them starts, Monday to Friday; absent: 8-18; 8:30-18:15 is fine, and 22-6 too
 * TIME_ZONE  of these hours, as Europe/Berlin; absent: UTC
 * TOKEN      callers must have it as their bearer token; absent: anybody is answered
 *
 * A gang of a priority above 0 starts at any time.
 *
 * @module
 */
import type { AdmitAnswer, AdmitRequest } from "../../packages/policy/types.ts";

const resource = "nvidia.com/gpu";
/** The hour that ends the wait may be another day's: nobody is left alone for longer. */
const longestWait = 3600;

function admit(
  { gangs, asks = {}, at }: AdmitRequest,
  setting: (name: string) => string | undefined,
): AdmitAnswer {
  const large = Number(setting("LARGE") ?? 4);
  if (!(large >= 0)) throw new WrongSetting("LARGE must be a number of GPUs");
  const gpus = Object.values(asks).reduce((sum, amounts) => sum + (amounts[resource] ?? 0), 0);
  const isUrgent = gangs.some(({ gang }) => (gang.priority ?? 0) > 0);
  if (gpus <= large || isUrgent) return { verdict: "allow" };

  const { from, to } = hoursOf(setting("HOURS") ?? "8-18");
  const timeZone = setting("TIME_ZONE") ?? "UTC";
  const { day, minute } = wallClock(Date.parse(at ?? "") || Date.now(), timeZone);
  const isDuring = from <= to ? minute >= from && minute < to : minute >= from || minute < to;
  if (["Sat", "Sun"].includes(day) || !isDuring) return { verdict: "allow" };
  const left = (to - minute + minutesADay) % minutesADay || minutesADay;
  return {
    verdict: "wait",
    reason: "OfficeHours",
    message: `gangs of more than ${large} GPUs start outside office hours: from ${
      clockText(to)
    } ${timeZone}`,
    askAgainSeconds: Math.min(longestWait, left * 60),
  };
}

const minutesADay = 24 * 60;

/** In minutes since midnight. */
function hoursOf(text: string): { from: number; to: number } {
  const clock = String.raw`(\d{1,2})(?::([0-5]\d))?`;
  const match = new RegExp(`^${clock}-${clock}$`).exec(text.trim());
  const [h1, m1, h2, m2] = (match ?? []).slice(1).map((digits) => Number(digits ?? 0));
  const [from, to] = [h1! * 60 + m1!, h2! * 60 + m2!];
  if (from < minutesADay && to <= minutesADay && from !== to) return { from, to };
  throw new WrongSetting(`HOURS must be like "8-18" or "8:30-18:15", not "${text}"`);
}

/** What a clock on the wall shows there: days on which the clock is changed are shorter or longer by themselves. */
function wallClock(time: number, timeZone: string): { day: string; minute: number } {
  const format = clockOf(timeZone);
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const minute = Number(parts.get("hour")) * 60 + Number(parts.get("minute"));
  return { day: parts.get("weekday") ?? "", minute };
}

function clockOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "short",
      hour: "numeric",
      minute: "numeric",
      hourCycle: "h23",
    });
  } catch {
    throw new WrongSetting(`TIME_ZONE must be like "Europe/Berlin", not "${timeZone}"`);
  }
}

function clockText(minute: number): string {
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;
}

/** What is wrong is not the call. */
class WrongSetting extends Error {}

const largestBody = 8 * 1024 * 1024;

export default {
  /** Answers `POST /v1/admit`. */
  async fetch(request: Request, env: object = {}): Promise<Response> {
    if (new URL(request.url).pathname !== "/v1/admit") return problem(404, "no such stage");
    if (request.method !== "POST") return problem(405, "a stage is asked by POST");
    const process: { env?: object } = Reflect.get(globalThis, "process") ?? {};
    const setting = (name: string) => Reflect.get({ ...process.env, ...env }, name);
    const token = setting("TOKEN");
    if (token && request.headers.get("authorization") !== `Bearer ${token}`) {
      return problem(401, "a bearer token is needed");
    }
    const text = await request.text();
    if (text.length > largestBody) return problem(413, "the body is too large");
    try {
      return Response.json(admit(JSON.parse(text), setting));
    } catch (error) {
      return problem(error instanceof WrongSetting ? 500 : 400, (error as Error).message);
    }
  },
};

function problem(status: number, detail: string): Response {
  const headers = { "content-type": "application/problem+json" };
  return new Response(JSON.stringify({ title: "Not answered", status, detail }), {
    status,
    headers,
  });
}
