import { assertEquals, assertStringIncludes } from "@std/assert";
import type { GangDetail } from "../../shared/contract/types.ts";
import { gangPlaces } from "../../page/gang_places.ts";

const requests = { "nvidia.com/gpu": 4 };

function rowsOf(pods: GangDetail["pods"]): string[][] {
  const text = String(gangPlaces({ pods } as unknown as GangDetail));
  return [...text.matchAll(/<tr>[^]*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/<t[dh]>([^]*?)<\/t[dh]>/g)].map(([, cell]) =>
      cell!.replace(/<[^>]*>/g, "").replace(/\s+/g, " ").trim()
    )
  );
}

Deno.test("page: a gang's nodes stand by domain, with those that are there, held, or to come", () => {
  const pods: GangDetail["pods"] = [
    { name: "a-0", uid: "0", state: "held", planned: "n3", domain: "rack r2", requests },
    { name: "a-1", uid: "1", state: "running", node: "n2", domain: "rack r1", requests },
    { name: "a-2", uid: "2", state: "pending", planned: "n2", domain: "rack r1", requests },
    { name: "a-3", uid: "3", state: "bound", node: "n1", domain: "rack r1", requests },
    { name: "a-4", uid: "4", state: "succeeded", node: "n1", domain: "rack r1", requests },
    { name: "a-5", uid: "5", state: "pending", requests },
  ];
  assertEquals(rowsOf(pods), [
    ["Domain", "Node", "Members", "Requests"],
    ["rack r1", "n1", "1 bound", "4 nvidia.com/gpu"],
    ["", "n2", "1 bound, 1 planned", "8 nvidia.com/gpu"],
    ["rack r2", "n3", "1 held", "4 nvidia.com/gpu"],
  ]);
});

Deno.test("page: without a topology places have no domains, and without nodes there are none", () => {
  const pod = { name: "a-0", uid: "0", state: "bound", requests } as const;
  assertEquals(rowsOf([{ ...pod, node: "n1" }]).map((cells) => cells.length), [3, 3]);
  assertEquals(rowsOf([{ ...pod, state: "pending" }]), []);
  const text = String(gangPlaces({ pods: [{ ...pod, node: "<n>" }] } as unknown as GangDetail));
  assertStringIncludes(text, "&lt;n&gt;");
});
