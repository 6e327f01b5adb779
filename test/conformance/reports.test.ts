import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DOMParser } from "@xmldom/xmldom";
import { marked, type Tokens } from "marked";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/cli.ts";
import { commandOf, grade, listFailures } from "../support/conformance.ts";

it("reports of conformance are read by parsers of JUnit XML and Markdown, and have every rule", async () => {
  const folder = temporaryFolder();
  const fileOf = (suffix: string) => join(folder, `report.${suffix}`);
  const files = ["json", "xml", "md"].flatMap((suffix) => ["--report", fileOf(suffix)]);
  const { stdout, report } = await grade(commandOf("node", "faulty", "NoBearerScheme"), [
    "--only",
    "credential",
    ...files,
  ]);
  const read = (suffix: string) => readFileSync(fileOf(suffix), "utf8");
  expect(JSON.parse(read("json"))).toEqual(JSON.parse(stdout));
  const ids = report.rules.map(({ id }) => id);
  const failed = listFailures(report).map(({ id }) => id);
  expect(failed).toEqual(["credential.bearer"]);

  const onError = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`);
  };
  const document = new DOMParser({ onError }).parseFromString(read("xml"), "text/xml");
  const cases = [...document.getElementsByTagName("testcase")];
  const idOf = (element: (typeof cases)[number]) => element.getAttribute("name")?.split(":")[0];
  expect(cases.map(idOf)).toEqual(ids);
  const failures = cases.filter((each) => each.getElementsByTagName("failure").length > 0);
  expect(failures.map(idOf)).toEqual(failed);
  expect(failures[0]?.textContent).toContain("claims conformance --only credential.bearer");
  const suites = [...document.getElementsByTagName("testsuite")];
  const sum = (attribute: string) =>
    suites.reduce((total, suite) => total + Number(suite.getAttribute(attribute)), 0);
  expect([sum("tests"), sum("failures")]).toEqual([ids.length, failed.length]);

  const tokens = marked.lexer(read("md"));
  const tables = tokens.filter((token): token is Tokens.Table => token.type === "table");
  const rows = tables.flatMap(({ rows: each }) =>
    each.map((cells) => cells.map(({ tokens: [first] }) => first)),
  );
  expect(rows.map(([, id]) => (id?.type === "codespan" ? id.text : null))).toEqual(ids);
  expect(rows.filter(([verdict]) => verdict?.type === "strong" && verdict.text === "fails")).toHaveLength(1);
  expect(tokens.filter(({ type }) => type === "html")).toEqual([]);
});

it("conformance of a whole program has the same report from run to run, though keys and ports are not", async () => {
  const only = ["--only", "submit.job_id", "--only", "submit.csv", "--seed", "7"];
  const run = () => grade(commandOf("node", "faulty", "ForgetsJob"), only);
  const [one, other] = await Promise.all([run(), run()]);
  expect(listFailures(one.report).map(({ id }) => id)).toContain("submit.job_id");
  // A busy machine lets the client poll once more.
  const withoutCount = (text: string) => text.replace(/"requests": \d+/g, "");
  expect(withoutCount(other.stdout)).toBe(withoutCount(one.stdout));
});
