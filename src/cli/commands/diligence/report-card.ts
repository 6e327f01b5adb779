import type { Report } from "../../../contract/diligence.ts";
import { valueAt } from "../../../domain/json.ts";
import { formatDollars, formatThousands } from "../../output/numbers.ts";
import type { Block, Card, Table } from "../../output/output.ts";
import { quoteId } from "../../output/shell-quote.ts";

/** How many rejected entries a card names before it only counts. */
const MAX_SHOWN_REJECTIONS = 10;

/** A report of the sandbox's model, but for the two fields that name a job: `check` makes the same one. */
type SandboxReport = Omit<Report, "jobId" | "contractVersion">;

/**
 * A report for a person. The sandbox's own totals where they are there; a service that sends other fields gets its
 * rf8Review shown as received, since that block is all the interface promises (§2).
 *
 * @param jobId the job that was asked for, whatever the report calls it; none for an offline assessment
 */
export function reportBlocks(report: unknown, jobId?: string): Block[] {
  if (!isSandboxReport(report)) return [reviewAsReceived(report)];
  return [
    totalsCard(report, jobId),
    routesTable(report),
    reviewCard(report),
    failedChecksTable(report),
    ...rejectionBlocks(report),
    nextSteps(report, jobId),
  ].filter((block) => block.kind === "paragraph" || block.rows.length > 0);
}

const isSandboxReport = (report: unknown): report is SandboxReport =>
  valueAt(report, "rf8Review.sandboxModel") === true &&
  valueAt(report, "totals") !== null &&
  valueAt(report, "byRoute") !== null;

function reviewAsReceived(report: unknown): Block {
  const { rf8Review = report } = (report ?? {}) as { rf8Review?: unknown };
  return {
    kind: "paragraph",
    lines: ["rf8Review, as received:", ...JSON.stringify(rf8Review, null, 2).split("\n")],
  };
}

function totalsCard(
  { sellerName, asOf, layout, complete, totals: sums, fileWarnings }: SandboxReport,
  jobId: string | undefined,
): Card {
  const { entriesSubmitted, entriesAccepted, entriesRejected, entriesDeferred } = sums;
  const parts = [
    `${formatThousands(entriesSubmitted)} submitted`,
    `${formatThousands(entriesAccepted)} accepted`,
    `${formatThousands(entriesRejected)} rejected`,
    ...(entriesDeferred > 0 ? [`${formatThousands(entriesDeferred)} deferred`] : []),
  ];
  return {
    kind: "card",
    title:
      jobId === undefined
        ? "Offline assessment, by the sandbox's illustrative rules"
        : `Report of job ${jobId}`,
    rows: [
      ["seller", sellerName || "none given, so importers were not compared"],
      ["as of", asOf],
      ["layout", layout],
      ["complete", complete ? "yes" : "no, the job ended partial"],
      ["entries", parts.join(", ")],
      ["entered value", formatDollars(sums.enteredValueCents)],
      ["IEEPA duty", formatDollars(sums.ieepaDutyCents)],
      ["interest", formatDollars(sums.interestCents)],
      ["estimated claim", formatDollars(sums.estimatedClaimCents)],
      ...fileWarnings.map((warning) => ["file warning", warning] as const),
    ],
  };
}

function routesTable({ byRoute }: SandboxReport): Table {
  const byDuty = Object.entries(byRoute).sort(([, a], [, b]) => b.ieepaDutyCents - a.ieepaDutyCents);
  return {
    kind: "table",
    title: "Routes",
    columns: [
      { name: "route" },
      { name: "entries", align: "right" },
      { name: "IEEPA duty", align: "right" },
      { name: "interest", align: "right" },
    ],
    rows: byDuty.map(([route, { entries, ieepaDutyCents, interestCents }]) => [
      route,
      formatThousands(entries),
      formatDollars(ieepaDutyCents),
      formatDollars(interestCents),
    ]),
  };
}

function reviewCard({
  rf8Review: { outcome, score, conditions, nearestDeadline, urgentEntryCount },
}: SandboxReport): Card {
  return {
    kind: "card",
    title: "rf8Review, by the sandbox's illustrative model",
    rows: [
      ["outcome", outcome],
      ["score", score],
      ["conditions", conditions.join(", ") || "none"],
      ["nearest deadline", nearestDeadline],
      ["urgent entries", urgentEntryCount],
    ],
  };
}

function failedChecksTable({ rf8Review }: SandboxReport): Table {
  return {
    kind: "table",
    title: "Checks that did not pass",
    columns: [
      { name: "check" },
      { name: "severity" },
      { name: "status" },
      { name: "entries", align: "right" },
      { name: "IEEPA duty", align: "right" },
    ],
    rows: rf8Review.checks
      .filter(({ status }) => status === "warn" || status === "fail")
      .map(({ code, severity, status, entryCount, ieepaDutyCents }) => [
        code,
        severity,
        status,
        formatThousands(entryCount),
        formatDollars(ieepaDutyCents),
      ]),
  };
}

function rejectionBlocks({ rejections: rejected, totals: { entriesRejected } }: SandboxReport): Block[] {
  if (rejected.length === 0) return [];
  // The report itself names no more than some thousand of them.
  const beyond = entriesRejected - rejected.length;
  const rows = rejected.flatMap(({ line, entryNumber, errors }) =>
    errors.map(({ code, column, detail }) => [line, entryNumber, column, `${code}: ${detail}`]),
  );
  const table: Table = {
    kind: "table",
    title: "Rejected entries",
    columns: [{ name: "line", align: "right" }, { name: "entry" }, { name: "column" }, { name: "why" }],
    rows,
    maxRows: MAX_SHOWN_REJECTIONS,
  };
  const more = rows.length - MAX_SHOWN_REJECTIONS + beyond;
  const line = `… and ${formatThousands(more)} more; --json has them`;
  return more > 0 ? [table, { kind: "paragraph", isAdvice: true, lines: [line] }] : [table];
}

function nextSteps({ complete, rf8Review }: SandboxReport, jobId: string | undefined): Block {
  const lines: string[] = [];
  if (jobId !== undefined && !complete)
    lines.push(`resume it:       claims diligence resume ${quoteId(jobId)} --wait`);
  if (jobId !== undefined)
    lines.push(`entry by entry:  claims diligence dataset ${quoteId(jobId)} --csv --out dataset.csv`);
  if (rf8Review.urgentEntryCount > 0) {
    lines.push(`act soon:        ${rf8Review.urgentEntryCount} entries have a deadline within 14 days`);
  }
  for (const [index, document] of rf8Review.documentsRequested.entries()) {
    lines.push(`${index === 0 ? "have ready:      " : " ".repeat(17)}${document}`);
  }
  return { kind: "paragraph", title: "Next", isAdvice: true, lines: lines.map((line) => `  ${line}`) };
}
