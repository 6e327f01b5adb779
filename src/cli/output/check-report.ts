import { extname, resolve } from "node:path";
import { groupBy } from "../../domain/group-by.ts";
import type { Context } from "../context.ts";
import { writeFileAtomically } from "../files/atomic-file.ts";
import { printMessage } from "./stderr.ts";

interface Check {
  readonly id: string;
  /** The checks of a group are a test suite of JUnit, and a table of Markdown. */
  readonly group: string;
  readonly title: string;
  /** `fail` makes a test of JUnit fail. `notice` is a failure that the command does not count. */
  readonly verdict: "pass" | "fail" | "notice" | "skipped";
  /** The verdict in the words of the command. */
  readonly label: string;
  readonly details: readonly string[];
}

/** What commands that check something report: probe, `sandbox exec --grease-each` and conformance. */
export interface CheckReport {
  readonly title: string;
  /** Each note is a paragraph. */
  readonly notes: readonly string[];
  readonly checks: readonly Check[];
  /** The document of `.json`, which `--json` prints too. */
  readonly json: object;
}

const FORMATS: ReportFormats<CheckReport> = {
  ".json": ({ json }) => `${JSON.stringify(json, null, 2)}\n`,
  ".xml": renderJunit,
  ".md": renderMarkdown,
};

export const writeCheckReports = (context: Context, report: CheckReport, files: readonly string[]) =>
  writeReportFiles(context, report, FORMATS, files);

/** The dialect of JUnit XML that Jenkins, GitLab and GitHub actions read. Without times, so that equal runs have equal files. */
function renderJunit({ title, notes, checks }: CheckReport): string {
  const suites = groupChecks(checks).map(([group, own]) => {
    const counts = formatAttributes({
      name: group,
      tests: own.length,
      failures: own.filter(({ verdict }) => verdict === "fail").length,
      skipped: own.filter(({ verdict }) => verdict === "skipped" || verdict === "notice").length,
    });
    return `  <testsuite${counts}>\n${own.map((check) => renderTestCase(title, check)).join("")}  </testsuite>\n`;
  });
  const properties = notes.map((note) => `  <!-- ${escapeXml(note).replaceAll("--", "- -")} -->\n`).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${formatAttributes({ name: title })}>\n${properties}${suites.join("")}</testsuites>\n`;
}

function renderTestCase(title: string, { id, group, title: name, verdict, label, details }: Check): string {
  const attributes = formatAttributes({ classname: `${title}.${group}`, name: `${id}: ${name}` });
  if (verdict === "pass") return `    <testcase${attributes}/>\n`;
  const text = escapeXml(details.join("\n"));
  const message = formatAttributes({ message: details[0] === undefined ? label : `${label}: ${details[0]}` });
  const result =
    verdict === "fail"
      ? `      <failure${message}>${text}</failure>\n`
      : `      <skipped${message}/>\n${text === "" ? "" : `      <system-out>${text}</system-out>\n`}`;
  return `    <testcase${attributes}>\n${result}    </testcase>\n`;
}

function renderMarkdown({ title, notes, checks }: CheckReport): string {
  const tables = groupChecks(checks).map(([group, own]) => {
    const rows = own.map(({ id, title: name, label }) => {
      const verdict = label === "pass" ? "pass" : `**${label}**`;
      return `| ${verdict} | \`${id}\` | ${escapeMarkdown(name)} |`;
    });
    return [`## ${group}`, "", "| verdict | rule | title |", "|---|---|---|", ...rows, ""];
  });
  const failures = checks.flatMap(({ id, label, verdict, details }) =>
    verdict === "fail" || verdict === "notice"
      ? [`### \`${id}\`: ${label}`, "", ...details.map((line) => `- ${escapeMarkdown(line)}`), ""]
      : [],
  );
  const lines = [
    `# ${escapeMarkdown(title)}`,
    "",
    ...notes.flatMap((note) => [escapeMarkdown(note), ""]),
    ...tables.flat(),
    ...(failures.length === 0 ? [] : ["## Failures", "", ...failures]),
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}

const groupChecks = (checks: readonly Check[]) => [...groupBy(checks, ({ group }) => group)];

/** Text of a program or a service could be a heading, a list, a table, HTML or a link. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\|<>[\]*_`#~&]|:(?=\/\/)|(?<=www)\.|(?<=^ ?\d*)[-+=.)]/gi, (character) => `\\${character}`);

const formatAttributes = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll('"', "&quot;")}"`)
    .join("");

/** XML 1.0 does not allow control characters, not even as references. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");

/** Renderers by the suffix of a file. */
export type ReportFormats<T> = Readonly<Record<string, (subject: T) => string | Promise<string>>>;

export async function writeReportFiles<T>(
  context: Context,
  subject: T,
  formats: ReportFormats<T>,
  files: readonly string[],
): Promise<void> {
  for (const file of files) {
    const render = formats[extname(file)];
    if (!render) throw new Error(`no format for ${file}`);
    await writeFileAtomically(resolve(context.cwd, file), [await render(subject)]);
    printMessage(context, `wrote ${file}`, { path: file });
  }
}
