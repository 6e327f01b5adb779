import type { DiligenceReport } from "../domain/diligence/assessment.ts";
import { GRADES, ROUTES } from "../domain/diligence/classify.ts";
import windows from "../domain/diligence/windows.json" with { type: "json" };
import { labelCode, labelOutcome, labelRoute, labelScore } from "../domain/labels.ts";
import { formatDollars, formatThousands } from "../domain/numbers.ts";
import { Badge, Facts, Section, Table } from "./parts.tsx";

interface ReportProps {
  readonly report: DiligenceReport;
}

const OUTCOME_TONES = { clear: "ok", conditional: "warn", declined: "bad" } as const;

/** The report in human-readable form; it prints well. */
export function Report({ report }: ReportProps) {
  const { rf8Review, totals } = report;
  return (
    <>
      <Facts
        facts={{
          "Estimated claim, with interest": formatDollars(totals.estimatedClaimCents),
          "rf8Review outcome": (
            <>
              <Badge tone={OUTCOME_TONES[rf8Review.outcome]}>{labelOutcome(rf8Review.outcome)}</Badge>{" "}
              {labelScore(rf8Review.score)}
            </>
          ),
          "Nearest deadline": `${rf8Review.nearestDeadline ?? "none"}; ${formatThousands(rf8Review.urgentEntryCount)} entries within ${windows.urgentDays} days`,
          Layout: report.layout,
          Complete: report.complete ? "yes" : "no, the job ended partial",
          "Entered value": formatDollars(totals.enteredValueCents),
          "IEEPA duty": formatDollars(totals.ieepaDutyCents),
          Interest: formatDollars(totals.interestCents),
          Entries: describeEntries(report),
        }}
      />
      <div class="columns">
        <Section title="Routes" note="Shares of the IEEPA duty by the way to a refund">
          <Shares by="Route" sums={report.byRoute} order={ROUTES} />
        </Section>
        <Section title="Grades" note="Shares of the IEEPA duty; A is the best">
          <Shares by="Grade" sums={report.byGrade} order={GRADES} />
        </Section>
      </div>
      <Checks report={report} />
      <p class="note">{rf8Review.sandboxModel && "Computed by the sandbox's own, illustrative model."}</p>
    </>
  );
}

const describeEntries = ({ totals }: DiligenceReport): string =>
  [
    `${formatThousands(totals.entriesSubmitted)} submitted`,
    `${formatThousands(totals.entriesAccepted)} accepted`,
    `${formatThousands(totals.entriesRejected)} rejected`,
    ...(totals.entriesDeferred > 0 ? [`${formatThousands(totals.entriesDeferred)} deferred`] : []),
  ].join(", ");

/** What a route or a grade means for the refund: its colour is the same on every page. A service may have others. */
const COLOR_CLASSES: Readonly<Record<string, string>> = {
  ...{ cape: "refund", cape_deferred: "later", none: "none" },
  ...{ A: "refund", B: "later", X: "none" },
};

interface SharesProps {
  /** What the duty is divided by. */
  readonly by: string;
  readonly sums: Readonly<Record<string, { readonly entries: number; readonly ieepaDutyCents: number }>>;
  /** The names that come first, in this order. */
  readonly order: readonly string[];
}

/** The parts of the duty as one bar, and the numbers below it. */
function Shares({ by, sums, order }: SharesProps) {
  const total = Object.values(sums).reduce((sum, { ieepaDutyCents }) => sum + ieepaDutyCents, 0);
  const label = `IEEPA duty by ${by.toLowerCase()}`;
  let x = 0;
  const shares = [...new Set([...order, ...Object.keys(sums)])].flatMap((name) => {
    const { entries = 0, ieepaDutyCents = 0 } = sums[name] ?? {};
    if (entries === 0) return [];
    const start = x;
    const width = (ieepaDutyCents / (total || 1)) * 100;
    x += width;
    return { name, entries, ieepaDutyCents, start, width, colorClass: COLOR_CLASSES[name] ?? "uncertain" };
  });
  return (
    <>
      <svg class="picture" height="22" role="img" aria-label={label}>
        {shares.map(({ start, width, colorClass }) => (
          <rect class={colorClass} x={`${start}%`} width={`${width}%`} height="18" rx="2" />
        ))}
      </svg>
      <Table
        label={label}
        emptyMessage="No entry."
        columns={[by, "Share", "IEEPA duty", "Entries"]}
        kinds={{ Share: "number", "IEEPA duty": "number", Entries: "number" }}
        rows={shares.map(({ name, entries, ieepaDutyCents, width, colorClass }) => [
          <>
            <span class={`swatch ${colorClass}`} /> {labelRoute(name)}
          </>,
          total === 0 ? "–" : `${width.toFixed(1)} %`,
          formatDollars(ieepaDutyCents),
          formatThousands(entries),
        ])}
      />
    </>
  );
}

const CHECK_TONES = { pass: "ok", warn: "warn", fail: "bad", not_applicable: "due" } as const;

const Checks = ({ report: { rf8Review } }: ReportProps) => (
  <Section title="Checks and conditions">
    <Table
      label="Checks"
      columns={["Check", "Status", "Severity", "Entries", "IEEPA duty"]}
      kinds={{ Check: "names", Entries: "number", "IEEPA duty": "number" }}
      rows={rf8Review.checks.map(({ code, status, severity, entryCount, ieepaDutyCents }) => [
        labelCode(code),
        <Badge tone={CHECK_TONES[status]}>{labelCode(status)}</Badge>,
        severity,
        formatThousands(entryCount),
        formatDollars(ieepaDutyCents),
      ])}
    />
    <p>
      <b>Conditions:</b> {rf8Review.conditions.map(labelCode).join(", ") || "none"}
    </p>
    <p>
      <b>Documents to have ready:</b> {rf8Review.documentsRequested.map(labelCode).join(", ")}
    </p>
  </Section>
);
