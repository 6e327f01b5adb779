import type { Report } from "../../../contract/operations/diligence.ts";
import { WARNING_MESSAGES } from "../../../domain/entries/rules/warnings.ts";
import { isRecord } from "../../../domain/json.ts";
import { labelCode, labelOutcome, labelRoute, labelScore } from "../../../domain/labels.ts";
import { formatCount, formatDollars, formatThousands } from "../../../domain/numbers.ts";
import { array, number, object, recordOf, string } from "../../../domain/shape.ts";
import type { Context } from "../../context.ts";
import { type Block, type Card, type Cell, type TableBlock, toCard, toTable } from "../../output/output.ts";
import { createMoneyColumn } from "../../output/record-card.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { rejectionBlocks, rejectionReasons } from "./report-rejections.ts";

/** A report with the fields of the contract. `check` makes it without the two fields of a job. */
type ContractReport = Omit<Report, "jobId" | "contractVersion">;

/** A person at a terminal gets one screen, and the rest with `-v`. @param jobId undefined for an offline assessment */
export const reportBlocks = (
  report: unknown,
  { stdout }: Pick<Context, "stdout">,
  isVerbose = false,
  jobId?: string,
): Block[] =>
  stdout.isTerminal && !isVerbose ? briefReportBlocks(report, jobId) : wholeReportBlocks(report, jobId);

/** Of other fields it shows only rf8Review (interface §2). */
function wholeReportBlocks(report: unknown, jobId?: string): Block[] {
  if (!isContractReport(report)) return [reviewAsReceived(report)];
  const { byGrade = {}, byRoute } = report;
  const card = totalsCard(report, jobId);
  return withoutEmpty([
    { ...card, rows: [...card.rows, ...warningRows(report)] },
    routesTable(byRoute),
    groupsTable("byGrade", "Grades, A is the best", "grade", Object.entries(byGrade)),
    reviewCard(report),
    failedChecksTable(report),
    ...rejectionBlocks(report),
    nextSteps(report, jobId),
  ]);
}

const withoutEmpty = (blocks: readonly Block[]): Block[] =>
  blocks.filter((block) => block.kind === "paragraph" || block.rows.length > 0);

/** What a person decides by: the reasons of rejected rows, or before a submission the checks, and after it the routes. */
function briefReportBlocks(report: unknown, jobId?: string): Block[] {
  if (!isContractReport(report)) return wholeReportBlocks(report, jobId);
  const isOfJob = jobId !== undefined;
  const reasons = rejectionReasons(report);
  const hasReasons = reasons.rows.length > 0;
  const card = totalsCard(report, jobId);
  const leftOut = isOfJob ? LEFT_OUT_OF_JOB : LEFT_OUT_OF_CHECK;
  const stops = report.fileWarnings.filter(({ severity }) => severity === "stop");
  const rows = [
    ...card.rows,
    ...briefWarningRows(report, hasReasons ? [] : stops),
    ...reviewCard(report).rows,
    ...(isOfJob || hasReasons ? failedChecksRow(report) : []),
  ];
  // What is read from a file that stops is not worth a check.
  const checks = stops.length > 0 ? [] : [failedChecksTable(report)];
  const others = isOfJob ? [routesTable(report.byRoute)] : checks;
  const more = isOfJob
    ? "-v shows grades, all checks that did not pass, and the documents to have ready"
    : "-v shows routes, grades and the documents to have ready";
  const ofRows = "-v shows every rejected row, routes, grades and the documents to have ready";
  return withoutEmpty([
    { ...card, rows: rows.filter(([name, value]) => !leftOut.includes(name) && !NOTHING.includes(value)) },
    ...(hasReasons ? [reasons] : others),
    {
      kind: "paragraph",
      isAdvice: true,
      lines: [...nextCommands(report, jobId), hasReasons ? ofRows : more],
    },
  ]);
}

/** Values that say nothing: no conditions, no deadline. */
const NOTHING: readonly Cell[] = ["none", null, 0];
const LEFT_OUT_OF_CHECK = ["complete", "entered value", "interest"];
const LEFT_OUT_OF_JOB = ["as of", "entered value", "interest", "layout"];

const isContractReport = (report: unknown): report is ContractReport => contractReport(report) === null;

/** The fields of a report that the card shows. */
const contractReport = object({
  sellerName: string,
  asOf: string,
  fileWarnings: array(object({ code: string, detail: string })),
  totals: object({
    entriesSubmitted: number,
    entriesAccepted: number,
    entriesRejected: number,
    entriesDeferred: number,
    enteredValueCents: number,
    ieepaDutyCents: number,
    interestCents: number,
    estimatedClaimCents: number,
  }),
  byRoute: recordOf(object({ entries: number, ieepaDutyCents: number, interestCents: number })),
  rf8Review: object({
    conditions: array(string),
    checks: array(object({ code: string, entryCount: number, ieepaDutyCents: number })),
    documentsRequested: array(string),
    urgentEntryCount: number,
  }),
  rejections: array(object({ errors: array(object({})) })),
});

function reviewAsReceived(report: unknown): Block {
  const { rf8Review = report } = (report ?? {}) as { rf8Review?: unknown };
  return {
    kind: "paragraph",
    lines: ["rf8Review, as received:", ...JSON.stringify(rf8Review, null, 2).split("\n")],
  };
}

function totalsCard(report: ContractReport, jobId: string | undefined): Card {
  const { sellerName, asOf, layout, complete, totals, fileWarnings } = report;
  const entries = Object.entries({
    submitted: totals.entriesSubmitted,
    accepted: totals.entriesAccepted,
    rejected: totals.entriesRejected,
    ...(totals.entriesDeferred > 0 && { deferred: totals.entriesDeferred }),
  }).map(([name, count]) => `${formatThousands(count)} ${name}`);
  const record = { sellerName, asOf, layout, complete, totals, fileWarnings };
  const title =
    jobId === undefined
      ? "Offline assessment, by the sandbox's illustrative rules"
      : `Report of job ${jobId}`;
  return toCard(
    "report",
    {
      seller: sellerName || "not given; importers were not compared",
      "as of": asOf,
      layout,
      complete: complete ? "yes" : "no, the job ended partial",
      entries: entries.join(", "),
      "entered value": formatDollars(totals.enteredValueCents),
      "IEEPA duty": formatDollars(totals.ieepaDutyCents),
      interest: formatDollars(totals.interestCents),
      "estimated claim": describeClaim(report),
    },
    { title, record },
  );
}

type Rows = readonly (readonly [name: string, value: string])[];

const warningRows = ({ fileWarnings, warnings }: ContractReport): Rows => [
  ...fileWarnings.map(({ code, detail }) => ["file warning", `${detail} (${code})`] as const),
  ...summaryDateRow(warnings),
];

/** The reasons of rejected rows, and of a file that stops, need the space of other texts. */
function briefWarningRows(report: ContractReport, stops: ContractReport["fileWarnings"]): Rows {
  const { fileWarnings, rejections } = report;
  if (stops.length === 0 && rejections.length === 0) return warningRows(report);
  const codes = new Set(fileWarnings.filter((each) => !stops.includes(each)).map(({ code }) => code));
  const others = [["file warnings", [...codes].join(", ")]] as const;
  return [...warningRows({ ...report, fileWarnings: stops }), ...(codes.size === 0 ? [] : others)];
}

/** The other warnings of entries are about what was repaired. This one is about cells that may be wrong, and change the interest. */
function summaryDateRow(warnings: ContractReport["warnings"] | undefined): Rows {
  const code = "SUMMARY_DATE_IMPLAUSIBLE";
  const count = warnings?.[code] ?? 0;
  const message = `${formatCount(count, "entry", "entries")}: ${WARNING_MESSAGES[code]} (${code})`;
  return count === 0 ? [] : [["warning", message]];
}

/** The claim counts every accepted entry, also those for which no duty can come back. */
function describeClaim({ byRoute, totals }: ContractReport): string {
  const { ieepaDutyCents = 0, interestCents = 0 } = byRoute.none ?? {};
  const lostCents = ieepaDutyCents + interestCents;
  const claim = formatDollars(totals.estimatedClaimCents);
  return lostCents === 0 ? claim : `${claim}; ${formatDollars(lostCents)} of it has no way to a refund`;
}

type Group = Readonly<Record<"entries" | "ieepaDutyCents", number> & { interestCents?: number }>;

/** A service may have members that are no groups. */
const isNamedGroup = (member: readonly [string, unknown]): member is readonly [string, Group] =>
  isRecord(member[1]) &&
  typeof member[1].entries === "number" &&
  typeof member[1].ieepaDutyCents === "number";

const BAR_WIDTH = 16;

/** One line for each group that has entries, with its share of the duty. A pipe gets all groups, with codes and integers. */
function groupsTable(
  section: string,
  title: string,
  head: string,
  members: readonly (readonly [string, unknown])[],
  label = (name: string) => name,
): TableBlock {
  const all = members.filter(isNamedGroup);
  const groups = all.filter(([, { entries }]) => entries > 0);
  const total = groups.reduce((sum, [, { ieepaDutyCents }]) => sum + ieepaDutyCents, 0);
  const align = "right";
  return {
    kind: "table",
    section,
    title,
    columns: [
      { name: head },
      ...["entries", "IEEPA duty", "share"].map((name) => ({ name, align }) as const),
      { name: "" },
    ],
    rows: groups.map(([name, { entries, ieepaDutyCents }]) => {
      const share = total === 0 ? 0 : ieepaDutyCents / total;
      const bar = "█".repeat(Math.round(share * BAR_WIDTH));
      const percent = `${Math.round(100 * share)} %`;
      return [label(name), formatThousands(entries), formatDollars(ieepaDutyCents), percent, bar];
    }),
    values: all.map(([name, { entries, ieepaDutyCents, interestCents }]) => [
      name,
      entries,
      ieepaDutyCents,
      ...(interestCents === undefined ? [] : [interestCents]),
    ]),
  };
}

/** The route with the largest duty stands first. */
function routesTable(byRoute: ContractReport["byRoute"]): TableBlock {
  const sorted = Object.entries(byRoute).sort(
    ([, one], [, other]) => other.ieepaDutyCents - one.ieepaDutyCents,
  );
  return groupsTable("byRoute", "Routes", "route", sorted, labelRoute);
}

function reviewCard({ rf8Review }: ContractReport): Card {
  const { outcome, score, conditions, nearestDeadline, sandboxModel, urgentEntryCount } = rf8Review;
  const fields = {
    outcome: labelOutcome(outcome),
    score: labelScore(score),
    conditions: conditions.map(labelCode).join(", ") || "none",
    "nearest deadline": nearestDeadline,
    "urgent entries": urgentEntryCount,
  };
  const record = { outcome, score, conditions, nearestDeadline, urgentEntryCount };
  // Another service has a model of its own.
  const title = sandboxModel ? "rf8Review, by the sandbox's illustrative model" : "rf8Review";
  return toCard("rf8Review", fields, { title, record });
}

function failedChecksRow({ rf8Review }: ContractReport): Rows {
  const failed = rf8Review.checks.filter(({ status }) => status === "fail");
  return failed.length === 0 ? [] : [["failed checks", failed.map(({ code }) => labelCode(code)).join(", ")]];
}

const NOT_PASSED: readonly string[] = ["warn", "fail"];

const failedChecksTable = ({ rf8Review }: ContractReport): TableBlock =>
  toTable({
    section: "checks",
    title: "Checks that did not pass",
    columns: [
      { name: "code", title: "check", display: ({ code }) => labelCode(code) },
      { name: "severity" },
      { name: "status" },
      {
        name: "entryCount",
        title: "entries",
        align: "right",
        display: ({ entryCount }) => formatThousands(entryCount),
      },
      createMoneyColumn("ieepaDutyCents", "IEEPA duty"),
    ],
    items: rf8Review.checks.filter(({ status }) => NOT_PASSED.includes(status)),
  });

function nextCommands({ complete, rf8Review }: ContractReport, jobId: string | undefined): string[] {
  if (jobId === undefined) return [];
  const id = quoteId(jobId);
  return [
    ...(complete ? [] : [`claims diligence resume ${id} --wait`]),
    `claims diligence dataset ${id} --out rows.csv`,
    ...(rf8Review.urgentEntryCount > 0 ? [`claims diligence deadlines ${id}`] : []),
  ];
}

function nextSteps(report: ContractReport, jobId: string | undefined): Block {
  const { documentsRequested, urgentEntryCount } = report.rf8Review;
  const lines = nextCommands(report, jobId);
  if (urgentEntryCount > 0)
    lines.push(`${formatCount(urgentEntryCount, "entry has", "entries have")} a deadline within 14 days`);
  if (documentsRequested.length > 0)
    lines.push("have ready:", ...documentsRequested.map((code) => `  ${labelCode(code)}`));
  return { kind: "paragraph", title: "Next", isAdvice: true, lines: lines.map((line) => `  ${line}`) };
}
