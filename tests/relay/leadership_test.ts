import { assertEquals } from "@std/assert";
import { Leadership } from "../../relay/kube/leadership.ts";

const lease = { namespace: "kube-system", name: "muster", hostname: "pair-a" };

/** Follows a lease whose holder is answered when `answer` is called; `said` is what it took the scheduler for, one after another. */
function follow() {
  const said: boolean[] = [];
  let answer = (_holder: string | undefined) => {};
  const leadership = new Leadership(
    { leaseHolder: () => new Promise((resolve) => answer = resolve) },
    {
      lease,
      failed: (error) => {
        throw error;
      },
      changed: (isLeading) => said.push(isLeading),
    },
  );
  return { leadership, said, answer: (holder: string | undefined) => answer(holder) };
}

Deno.test("a scheduler leads whose hostname signs the lease, until another's does", async () => {
  const { leadership, said, answer } = follow();
  for (const holder of ["pair-b_1", "pair-a_2", "pair-a_2", "pair-a2_3", undefined]) {
    const looked = leadership.start();
    answer(holder);
    await looked;
  }
  leadership.stop();
  assertEquals(said, [true, false]);
});

Deno.test("a scheduler that calls leads, whatever a look says that was on its way then", async () => {
  const { leadership, said, answer } = follow();
  const looked = leadership.start();
  leadership.called();
  answer("pair-b_1");
  await looked;
  assertEquals(said, [true]);
  const again = leadership.start();
  answer("pair-b_1");
  await again;
  leadership.stop();
  assertEquals(said, [true, false]);
});
