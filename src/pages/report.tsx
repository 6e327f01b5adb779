import type { DiligenceReport } from "../domain/diligence/report.ts";
import windows from "../domain/diligence/windows.json" with { type: "json" };
import { labelCode, labelOutcome, labelRoute, labelScore } from "../domain/labels.ts";
import { formatCount, formatDollars, formatThousands } from "../domain/numbers.ts";
import { Badge, Facts, Section, Table } from "./parts.tsx";

interface ReportProps {
  readonly report: DiligenceReport;
}

const OUTCOME_TONES = { clear: "ok", conditional: "warn", declined: "bad" } as const;

/** Days before a deadline in which it is urgent (diligence-model §3). */
const { urgentDays: URGENT_DAYS } = windows;

/** The report in human-readable form; it prints well. */
export function Report({ report }: ReportProps) {
  const { rf8Review, totals } = report;
  return (
    <>
      <Facts
        facts={[
          ["Estimated claim, with interest", formatDollars(totals.estimatedClaimCents)],
          [
            "rf8Review outcome",
            <>
              <Badge tone={OUTCOME_TONES[rf8Review.outcome]}>{labelOutcome(rf8Review.outcome)}</Badge>{" "}
              {labelScore(rf8Review.score)}
            </>,
          ],
          [
            "Nearest deadline",
            `${rf8Review.nearestDeadline ?? "none"}; ${formatThousands(rf8Review.urgentEntryCount)} entries within ${URGENT_DAYS} days`,
          ],
          ["Seller", report.sellerName || "not given"],
          ["As of", report.asOf],
          ["Layout", report.layout],
          ["Complete", report.complete ? "yes" : "no, the job ended partial"],
          ["Entered value", formatDollars(totals.enteredValueCents)],
          ["IEEPA duty", formatDollars(totals.ieepaDutyCents)],
          ["Interest", formatDollars(totals.interestCents)],
          ["Entries", describeEntries(report)],
        ]}
      />
      <div class="columns">
        <Section title="Routes" note="IEEPA duty by the way to a refund">
          <Bars label="IEEPA duty by route" sums={report.byRoute} isSorted />
        </Section>
        <Section title="Grades" note="IEEPA duty by grade, A the best">
          <Bars label="IEEPA duty by grade" sums={report.byGrade} />
        </Section>
      </div>
      <Checks report={report} />
      <Rejections report={report} />
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

type Sums = Readonly<Record<string, { readonly entries: number; readonly ieepaDutyCents: number }>>;

interface BarsProps {
  readonly label: string;
  readonly sums: Sums;
  readonly isSorted?: boolean;
}

const Bars = ({ label, sums, isSorted = false }: BarsProps) => {
  const rows = Object.entries(sums).map(([name, sum]) => ({ name, ...sum }));
  if (isSorted) rows.sort((one, other) => other.ieepaDutyCents - one.ieepaDutyCents);
  const largest = Math.max(1, ...rows.map(({ ieepaDutyCents }) => ieepaDutyCents));
  return (
    <table>
      <caption class="hidden">{label}</caption>
      <tbody>
        {rows.map(({ name, entries, ieepaDutyCents: cents }) => (
          <tr key={name}>
            <th scope="row" title={name}>
              {labelRoute(name)}
            </th>
            <td>
              <meter max={largest} value={cents} aria-hidden="true" />
            </td>
            <td class="number">{formatDollars(cents)}</td>
            <td class="number">{formatCount(entries, "entry", "entries")}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const CHECK_TONES = { pass: "ok", warn: "warn", fail: "bad", not_applicable: "due" } as const;

const Checks = ({ report: { rf8Review } }: ReportProps) => (
  <Section title="Checks and conditions">
    <Table
      label="Checks"
      head={["Check", "Status", "Severity", { number: "Entries" }, { number: "IEEPA duty" }]}
    >
      {rf8Review.checks.map(({ code, status, severity, entryCount, ieepaDutyCents }) => (
        <tr key={code}>
          <td>{labelCode(code)}</td>
          <td>
            <Badge tone={CHECK_TONES[status]}>{labelCode(status)}</Badge>
          </td>
          <td>{severity}</td>
          <td class="number">{formatThousands(entryCount)}</td>
          <td class="number">{formatDollars(ieepaDutyCents)}</td>
        </tr>
      ))}
    </Table>
    <p>
      <b>Conditions:</b> {rf8Review.conditions.map(labelCode).join(", ") || "none"}
    </p>
    <p>
      <b>Documents to have ready:</b> {rf8Review.documentsRequested.map(labelCode).join(", ")}
    </p>
  </Section>
);

const MAX_REJECTIONS = 200;

function Rejections({ report: { rejections, totals } }: ReportProps) {
  if (rejections.length === 0) return null;
  return (
    <Section title="Rejected entries" note={`${formatThousands(totals.entriesRejected)} in all`}>
      <Table label="Rejected entries" head={[{ number: "Line" }, "Entry", "Column", "Reason"]}>
        {rejections.slice(0, MAX_REJECTIONS).flatMap(({ line, entryNumber, errors }) =>
          errors.map(({ code, column, detail, line: own = line }) => (
            <tr key={`${own} ${column} ${code}`}>
              <td class="number">{own}</td>
              <td>{entryNumber}</td>
              <td>
                <code>{column}</code>
              </td>
              <td>{detail}</td>
            </tr>
          )),
        )}
      </Table>
      {rejections.length > MAX_REJECTIONS && <p class="note">The first {MAX_REJECTIONS} rows.</p>}
    </Section>
  );
}
