import { assert, assertEquals } from "@std/assert";
import { version } from "../../cli/version.ts";
import { settingFields } from "../../shared/contract/settings.ts";
import { type ProfileName, profiles } from "../../shared/core/gang/settings.ts";
import { reasons } from "../../shared/core/words/reason.ts";
import { dialects } from "../../shared/kubernetes/declaring/dialect.ts";
import { kubernetesVersions } from "../../tools/control_plane/programs.ts";
import { listFiles } from "../../tools/list_files.ts";
import { operatorNames, operators } from "../../tools/operators/operators.ts";
import { documentedManifests } from "../../tools/operators/page.ts";

const docs = new URL("../../docs", import.meta.url).pathname;

/** The rows of the tables of a page, without their rules: cells without ticks. */
async function rowsOf(page: string): Promise<string[][]> {
  return (await Deno.readTextFile(`${docs}/${page}`)).split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| -"))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim().replaceAll("`", "")));
}

Deno.test("docs: profiles.md has every setting of every profile", async () => {
  const [head = [], ...rows] = await rowsOf("profiles.md");
  const names = head.slice(2) as ProfileName[];
  assertEquals(names, Object.keys(profiles));
  assertEquals(
    rows.map(([flag, , ...values]) => [flag, ...values]),
    settingFields.map(({ flag, name }) => [
      flag,
      ...names.map((profile) => String(profiles[profile][name])),
    ]),
  );
});

Deno.test("docs: stages.md has every reason, and operations.md those that need somebody", async () => {
  const first = (await rowsOf("stages.md")).map(([cell]) => cell!);
  assertEquals(
    reasons.filter((reason) => !first.includes(reason)),
    [],
  );
  const quiet = ["Admitted", "Satisfied", "WaitingForMembers", "Gone"];
  const advised = (await rowsOf("operations.md")).map(([cell]) => cell).join("\n");
  assertEquals(
    reasons.filter((reason) => !quiet.includes(reason) && !advised.includes(`(${reason})`)),
    [],
  );
});

Deno.test("docs: dialects.md has every dialect, in the order in which they rule", async () => {
  const rows = (await rowsOf("dialects.md")).slice(1, dialects.length + 1);
  for (const [index, { nameField, podGroups, quorumField }] of dialects.entries()) {
    assert(rows[index]?.[1] === nameField, `row ${index + 1} lacks ${nameField}`);
    const quorum = rows[index]?.[2] ?? "";
    const fields = [
      quorumField ?? [],
      podGroups.map((kind) => `${kind.quorumField} of the ${kind.group} PodGroup`),
    ].flat();
    for (const field of fields) {
      assert(quorum.includes(field), `row ${index + 1} is "${quorum}", and lacks ${field}`);
    }
  }
});

Deno.test("docs: install.md has every version that the matrix tries", async () => {
  const tried = (await rowsOf("install.md")).map(([version]) => version!)
    .filter((version) => /^v1\.\d/.test(version));
  assertEquals(tried, [...kubernetesVersions]);
});

Deno.test("docs: operators.md has every operator, its version and its flags", async () => {
  const rows = (await rowsOf("operators.md")).slice(1);
  const told = Object.entries(operators).map(([name, { version, flags }]) => [
    name,
    version,
    flags.join(" ") || "none",
  ]);
  assertEquals(rows.map((cells) => cells.slice(0, 3)), told);
});

Deno.test("docs: every manifest of operators.md is applied by a story", async () => {
  const folder = new URL("../../tools/operators/stories/", import.meta.url).pathname;
  const stories: string[] = [];
  for (const file of await listFiles(folder, ".ts")) {
    stories.push(await Deno.readTextFile(folder + file));
  }
  const text = stories.join("\n");
  const names = (await documentedManifests()).map(({ metadata }) => metadata.name);
  assert(names.length >= operatorNames.length);
  assertEquals(names.filter((name) => !text.includes(`"${name}"`)), []);
});

Deno.test("docs: the index links to every page", async () => {
  const index = await Deno.readTextFile(`${docs}/README.md`);
  const pages = (await listFiles(docs, ".md")).filter((path) => path !== "README.md");
  assertEquals(
    pages.filter((page) => !index.includes(`](${page})`)),
    [],
    "give them a line in docs/README.md",
  );
});

Deno.test("docs: the changelog begins with the version that recordings name", async () => {
  const changelog = await Deno.readTextFile(`${docs}/../CHANGELOG.md`);
  assertEquals(/^## \[(.*?)\]/m.exec(changelog)?.[1], version);
});
