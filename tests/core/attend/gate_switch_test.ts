import { assertEquals } from "@std/assert";
import type { Standing } from "../../../shared/core/attend/standing.ts";
import {
  queues as isQueueing,
  type SwitchEvent,
  switchGate,
  unknownSwitch,
} from "../../../shared/core/attend/gate_switch.ts";
import { times } from "../../../shared/core/attend/times.ts";
import type { Plan } from "../../../shared/core/plan/plan.ts";
import { letIn, start } from "../../support/attending.ts";

const queues: SwitchEvent = { is: "planned", isQueueing: true };
const rests: SwitchEvent = { is: "planned", isQueueing: false };
const missed: SwitchEvent = { is: "missed" };
const woken: SwitchEvent = { is: "woken" };
const failed: SwitchEvent = { is: "not written", isAbsent: false };
const absent: SwitchEvent = { is: "not written", isAbsent: true };
const wrote = (value: "on" | "off"): SwitchEvent => ({ is: "written", value });
const { gateRest, gateAgain } = times;

const cases: [id: string, events: [at: number, event: SwitchEvent, writes?: "on" | "off"][]][] = [
  ["what an earlier relay left is put right by the first look at the queue", [
    [0, missed],
    [0, rests, "off"],
  ]],
  ["it is on at once when gangs queue, and off after a rest", [
    [0, queues, "on"],
    [1, wrote("on")],
    [2, rests],
    [gateRest, rests],
    [gateRest + 1, woken],
    [gateRest + 2, woken, "off"],
  ]],
  ["a gang that queues within the rest keeps it on", [
    [0, queues, "on"],
    [1, wrote("on")],
    [2, rests],
    [3, queues],
    [gateRest + 2, woken],
  ]],
  ["one write at a time, and then what is wanted by then", [
    [0, queues, "on"],
    [1, rests],
    [gateRest + 1, woken],
    [gateRest + 2, wrote("on"), "off"],
  ]],
  ["a write that failed is made again a moment later", [
    [0, queues, "on"],
    [1, failed],
    [2, queues],
    [1 + gateAgain, woken, "on"],
  ]],
  ["what is not there is not written again before something else is wanted", [
    [0, queues, "on"],
    [1, absent],
    [gateAgain + 1, queues],
    [gateAgain + 2, rests],
    [gateAgain + gateRest + 2, woken, "off"],
  ]],
  ["a member without a gate lets it be written once more, but not at once", [
    [0, queues, "on"],
    [1, wrote("on")],
    [gateRest, missed],
    [gateRest + 1, missed, "on"],
    [gateRest + 2, missed],
    [gateRest + 3, wrote("on")],
    [gateRest + 4, missed],
  ]],
];

for (const [id, events] of cases) {
  Deno.test(`gate switch: ${id}`, () => {
    let gate = unknownSwitch;
    const written = events.map(([at, event]) => {
      const switched = switchGate(gate, event, at);
      gate = switched.gate;
      return switched.write;
    });
    assertEquals(written, events.map(([, , writes]) => writes));
  });
}

Deno.test("gate switch: it says when to look again", () => {
  const { gate, wakeAt } = switchGate(unknownSwitch, queues, 0);
  assertEquals(wakeAt, Infinity);
  const resting = switchGate(switchGate(gate, wrote("on"), 1).gate, rests, 2);
  assertEquals(resting.wakeAt, 2 + gateRest);
  assertEquals(switchGate(gate, failed, 1).wakeAt, 1 + gateAgain);
});

Deno.test("of a switch of which nothing is known nothing is doubted, being written or held up", () => {
  const { writtenAt, isInDoubt, isWriting, offAt, notBefore } = unknownSwitch;
  assertEquals([writtenAt, notBefore, offAt], [0, 0, Infinity]);
  assertEquals([isInDoubt, isWriting], [false, false]);
});

Deno.test("gate switch: a group queues where those that are there have no room", () => {
  const refused = (reason: "MembersMissing" | "Parked"): Standing => ({
    phase: "refused",
    why: { reason, message: "it waits" },
    since: start,
  });
  const of = (members: number, isShort = false): Plan => ({ fit: { members, of: 3 }, isShort });
  const waits = refused("MembersMissing");
  const rows: [
    id: string,
    plan: Plan | undefined,
    standing: Standing,
    isBroken: boolean,
    is: boolean,
  ][] = [
    ["not planned yet", undefined, waits, false, false],
    ["it has its places", { ...of(3), taken: [] }, waits, false, false],
    ["it is short of room", of(2, true), waits, false, true],
    ["and stays so if it is broken", of(2, true), waits, true, true],
    ["it lacks members, and those that are there have no room", of(2), waits, false, true],
    ["they have room", of(3), waits, false, false],
    ["it will not become whole", of(2), waits, true, false],
    ["it has no use for room", of(2), refused("Parked"), false, false],
    ["it was let in", of(2), letIn(), false, true],
  ];
  for (const [id, plan, standing, isBroken, is] of rows) {
    assertEquals(isQueueing({ plan, standing }, { isBroken }), is, id);
  }
});
