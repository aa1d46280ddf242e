import type { MembersRow, Row } from "./row.ts";

/** Members of a role of the same name, which needs so many of them. */
function role(
  name: string,
  { min, ...members }: Omit<MembersRow, "says"> & { min: number; within?: string },
): MembersRow {
  const { within, ...rest } = members;
  const path = within === undefined ? name : `${within}/${name}`;
  return { ...rest, says: { role: path, "role-min": `${path}=${min}` } };
}

/** Members of a gang of PL-C9: its roles need so many of the roles within them. */
function leaf(name: string, within: string, { min = 3, gpus = 1 } = {}): MembersRow {
  const inner = { root: 2, "root/sub1": 2, "root/sub2": 1, "root/sub3": 2 };
  const path = `root/${within}/${name}`;
  const mins = Object.entries({ ...inner, [path]: min }).map(([role, min]) => `${role}=${min}`);
  return { pods: 3, gpus, says: { role: path, "role-min": mins.join() } };
}

const inRack = { "required-topology": "rack" };

/** Rows of section C, and of section D those in which nobody is evicted. */
export const roleRows: readonly Row[] = [
  {
    id: "PL-C1 a required rack holds all roles of a gang",
    nodes: {
      a1: { gpus: 2, labels: { rack: "r1" } },
      a2: { gpus: 2, labels: { rack: "r1" } },
      b1: { gpus: 2, labels: { rack: "r2" } },
      b2: { gpus: 2, used: 2, labels: { rack: "r2" } },
    },
    gangs: {
      a: {
        says: inRack,
        members: {
          pg1: role("pg1", { pods: 2, gpus: 1, min: 2 }),
          pg2: role("pg2", { pods: 2, gpus: 1, min: 2 }),
        },
      },
    },
    bound: { pg1: 2, pg2: 2 },
    within: [{ key: "rack", members: ["pg1", "pg2"], values: ["r1"] }],
  },
  {
    id: "PL-C2 a member that runs decides the rack of all others",
    nodes: {
      a1: { gpus: 2, labels: { rack: "r1" } },
      a2: { gpus: 2, labels: { rack: "r1" } },
      b1: { gpus: 2, labels: { rack: "r2" } },
      b2: { gpus: 2, labels: { rack: "r2" } },
    },
    gangs: {
      a: {
        says: inRack,
        min: 4,
        members: {
          "pg1-old": { pods: 1, gpus: 1, on: "b2", says: { role: "pg1", "role-min": "2" } },
          pg1: role("pg1", { pods: 1, gpus: 1, min: 2 }),
          pg2: role("pg2", { pods: 2, gpus: 1, min: 2 }),
        },
      },
    },
    bound: { "pg1-old": 1, pg1: 1, pg2: 2 },
    within: [{ key: "rack", members: ["pg1-old", "pg1", "pg2"], values: ["r2"] }],
  },
  {
    id: "PL-C3 two roles for which no rack has room together wait",
    nodes: {
      a1: { gpus: 2, used: 1, labels: { rack: "r1" } },
      b1: { gpus: 2, used: 1, labels: { rack: "r2" } },
    },
    gangs: {
      a: {
        says: inRack,
        members: {
          pg1: role("pg1", { pods: 1, gpus: 1, min: 1 }),
          pg2: role("pg2", { pods: 1, gpus: 1, min: 1 }),
        },
      },
    },
    bound: { pg1: 0, pg2: 0 },
    says: "gang ",
  },
  {
    id: "PL-C9 of roles within roles as many start as are enough, each whole",
    nodes: { n1: { gpus: 20 } },
    opensLast: true,
    gangs: {
      a: {
        min: 7,
        members: {
          pg1: leaf("pg1", "sub1"),
          pg2: leaf("pg2", "sub1"),
          pg3: leaf("pg3", "sub1", { gpus: 100 }),
          pg4: leaf("pg4", "sub2", { min: 1 }),
          pg5: leaf("pg5", "sub2"),
          pg6: leaf("pg6", "sub3"),
          pg7: leaf("pg7", "sub3", { gpus: 100 }),
        },
      },
    },
    bound: { pg1: 3, pg2: 3, pg3: 0, pg4: 3, pg5: 3, pg6: 0, pg7: 0 },
  },
  {
    id: "PL-C9 where the others run, a role that is not needed starts whole or not at all",
    nodes: { n1: { gpus: 3 } },
    gangs: {
      a: {
        min: 2,
        members: {
          a: { pods: 2, gpus: 1, on: "n1", says: { role: "any/a", "role-min": "any=1,any/a=2" } },
          b: { pods: 2, gpus: 1, says: { role: "any/b", "role-min": "any=1,any/b=2" } },
        },
      },
    },
    bound: { a: 2, b: 0 },
  },
  {
    id: "of roles within one that nobody speaks of all are needed, though room is there for some",
    nodes: { n1: { gpus: 4 } },
    opensLast: true,
    gangs: {
      a: {
        min: 4,
        members: {
          p: { pods: 2, gpus: 1, says: { role: "a/x/p", "role-min": "a=1,a/x/p=2" } },
          q: { pods: 2, gpus: 3, says: { role: "a/x/q", "role-min": "a/x/q=2" } },
          y: { pods: 5, gpus: 1, says: { role: "a/y", "role-min": "a/y=5" } },
        },
      },
    },
    bound: { p: 0, q: 0, y: 0 },
    says: "gang ",
  },
  {
    id: "a role that requires a rack needs the roles two levels within it as without",
    nodes: {
      a1: { gpus: 3, labels: { rack: "r1" } },
      b1: { gpus: 2, labels: { rack: "r2" } },
    },
    opensLast: true,
    gangs: {
      a: {
        min: 1,
        says: { "role-required-topology": "decode=rack" },
        members: {
          leaders: role("leaders", { pods: 1, gpus: 1, min: 1, within: "decode/a" }),
          workers: role("workers", { pods: 3, gpus: 1, min: 3, within: "decode/a" }),
        },
      },
    },
    bound: { leaders: 0, workers: 0 },
    says: "gang ",
  },
  {
    id: "PL-C12 of two roles one member each is bound where there is room for two",
    nodes: { n1: { gpus: 2 } },
    gangs: {
      a: {
        min: 2,
        members: {
          sub0: role("sub0", { pods: 2, gpus: 1, min: 1 }),
          sub1: role("sub1", { pods: 2, gpus: 1, min: 1 }),
        },
      },
    },
    bound: { sub0: 1, sub1: 1 },
  },
  {
    id: "PL-C13 room goes to the role that is not whole",
    nodes: { n1: { gpus: 4 } },
    gangs: {
      a: {
        min: 4,
        members: {
          "sub0-old": { pods: 2, gpus: 1, on: "n1", says: { role: "sub0", "role-min": "2" } },
          sub0: role("sub0", { pods: 1, gpus: 1, min: 2 }),
          sub1: role("sub1", { pods: 2, gpus: 1, min: 2 }),
        },
      },
    },
    bound: { "sub0-old": 2, sub0: 0, sub1: 2 },
  },
  {
    id: "PL-C14 roles that find no room together wait",
    nodes: { n1: { gpus: 4 } },
    gangs: {
      a: {
        min: 3,
        members: {
          sub0: role("sub0", { pods: 2, gpus: 3, min: 1 }),
          sub1: role("sub1", { pods: 2, gpus: 1, min: 2 }),
        },
      },
    },
    bound: { sub0: 0, sub1: 0 },
    says: "needs room for 3 more members",
  },
  {
    id: "PL-C16 two gangs become whole before either has surplus",
    nodes: { n1: { gpus: 4 } },
    opensLast: true,
    gangs: {
      a: {
        min: 2,
        members: {
          a0: role("a0", { pods: 2, gpus: 1, min: 1 }),
          a1: role("a1", { pods: 2, gpus: 1, min: 1 }),
        },
      },
      b: {
        min: 2,
        members: {
          b0: role("b0", { pods: 2, gpus: 1, min: 1 }),
          b1: role("b1", { pods: 2, gpus: 1, min: 1 }),
        },
      },
    },
    bound: { a0: 1, a1: 1, b0: 1, b1: 1 },
  },
  {
    id: "PL-C18 a gang starts without its optional role",
    nodes: { n1: { gpus: 1 } },
    opensLast: true,
    gangs: {
      a: {
        min: 1,
        members: {
          needed: role("needed", { pods: 1, gpus: 1, min: 1 }),
          optional: role("optional", { pods: 1, gpus: 1, min: 0 }),
        },
      },
    },
    bound: { needed: 1, optional: 0 },
  },
  {
    id: "PL-E1 an elastic gang starts with as many as there is room for",
    nodes: { n1: { gpus: 1 } },
    gangs: { a: { min: 1, members: { m: { pods: 2, gpus: 1 } } } },
    bound: { m: 1 },
  },
];
