import { assertEquals } from "@std/assert";
import { servedBy, withServed } from "../../../shared/kubernetes/counting/device_class.ts";

const metadata = { name: "accel.example.com", uid: "c" };
const implicit = "deviceclass.resource.kubernetes.io/accel.example.com";

Deno.test("DeviceClass: serves a resource of its own name, and the one that it names", () => {
  assertEquals(servedBy({ metadata }), [implicit]);
  assertEquals(servedBy({ metadata, spec: {} }), [implicit]);
  const spec = { extendedResourceName: "example.com/accel" };
  assertEquals(servedBy({ metadata, spec }), [implicit, "example.com/accel"]);
});

Deno.test("DeviceClass: a node counts what it lists itself, and nothing else that a class serves", () => {
  const allocatable = new Map([["cpu", 4000], ["example.com/accel", 2], ["example.com/gone", 0]]);
  assertEquals(
    withServed(allocatable, ["example.com/accel", "example.com/gone", "example.com/new"]),
    new Map([
      ["cpu", 4000],
      ["example.com/accel", 2],
      ["example.com/gone", Infinity],
      ["example.com/new", Infinity],
    ]),
  );
});
