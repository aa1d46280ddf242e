/**
 * Office hours: large gangs start at night and at weekends, so that people find room while they work.
 *
 * LARGE      a gang that asks for more GPUs is large; absent: 4
 * HOURS      during which none of them starts, Monday to Friday; absent: 8-18
 * TIME_ZONE  of these hours; absent: UTC
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
  const gpus = Object.values(asks).reduce((sum, amounts) => sum + (amounts[resource] ?? 0), 0);
  const isUrgent = gangs.some(({ gang }) => (gang.priority ?? 0) > 0);
  if (gpus <= large || isUrgent) return { verdict: "allow" };

  const [from = 8, to = 18] = (setting("HOURS") ?? "8-18").split("-").map(Number);
  const timeZone = setting("TIME_ZONE") ?? "UTC";
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    hour: "numeric",
    minute: "numeric",
    hourCycle: "h23",
  }).formatToParts(Date.parse(at ?? "") || Date.now());
  const { weekday = "", hour, minute } = Object.fromEntries(
    parts.map(({ type, value }) => [type, value]),
  );
  const isWeekend = ["Sat", "Sun"].includes(weekday);
  if (isWeekend || Number(hour) < from || Number(hour) >= to) return { verdict: "allow" };
  const left = (to - Number(hour)) * 3600 - Number(minute) * 60;
  return {
    verdict: "wait",
    reason: "OfficeHours",
    message:
      `gangs of more than ${large} GPUs start outside office hours: from ${to}:00 ${timeZone}`,
    askAgainSeconds: Math.min(longestWait, left),
  };
}

const largestBody = 8 * 1024 * 1024;

export default {
  /** Answers `POST /v1/admit`. */
  async fetch(request: Request, env: object = {}): Promise<Response> {
    if (new URL(request.url).pathname !== "/v1/admit") return problem(404, "no such stage");
    if (request.method !== "POST") return problem(405, "a stage is asked by POST");
    const text = await request.text();
    if (text.length > largestBody) return problem(413, "the body is too large");
    const process: { env?: object } = Reflect.get(globalThis, "process") ?? {};
    try {
      const body = JSON.parse(text);
      return Response.json(admit(body, (name) => Reflect.get({ ...process.env, ...env }, name)));
    } catch (error) {
      return problem(400, (error as Error).message);
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
