import { isDiligenceReport } from "../domain/diligence/is-diligence-report.ts";
import { isRecord } from "../domain/json.ts";
import { Facts, Section, Table } from "./parts.tsx";
import { renderPage } from "./render.ts";
import { type Deadline, Report } from "./report.tsx";
import { StandaloneDocument } from "./standalone-document.tsx";

export interface ReportFileModel {
  readonly jobId: string;
  readonly baseUrl: string;
  /** As the service sent it. */
  readonly report: Readonly<Record<string, unknown>>;
  /** Soonest first; null where the entries are not known. */
  readonly deadlines: readonly Deadline[] | null;
}

/** Renders the report of a job as one HTML file for an importer: to read, to print, to keep. */
export const renderReportFile = (model: ReportFileModel): string => renderPage(<ReportFile {...model} />);

/** The interface (§2) promises only an rf8Review: another service's fields are shown under their own names. */
function ReportFile({ jobId, baseUrl, report, deadlines }: ReportFileModel) {
  const seller = typeof report.sellerName === "string" ? report.sellerName : "";
  return (
    <StandaloneDocument title={`Diligence report: ${seller || jobId}`} bodyClass="report">
      <main>
        <p class="note">Diligence report</p>
        <h1>{seller || `Job ${jobId}`}</h1>
        <p class="note">
          Job <code>{jobId}</code> at <code>{baseUrl}</code>
        </p>
        {isDiligenceReport(report) ? (
          <Report report={report} deadlines={deadlines} />
        ) : (
          <>
            <p class="note">The fields are shown as the service sent them.</p>
            <Members value={report} />
          </>
        )}
      </main>
    </StandaloneDocument>
  );
}

const MAX_ROWS = 1_000;
const MAX_COLUMNS = 50;

/** The scalars of a record as facts, then each list and each inner record with its name. */
function Members({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  const members = Object.entries(value);
  const scalars = members.filter(([, member]) => !isNested(member));
  return (
    <>
      {scalars.length > 0 && <Facts facts={scalars.map(([name, member]) => [name, formatScalar(member)])} />}
      {members.map(
        ([name, member]) =>
          isNested(member) && (
            <Section key={name} title={name}>
              {isRecord(member) ? <Members value={member} /> : <List name={name} items={member} />}
            </Section>
          ),
      )}
    </>
  );
}

function List({ name, items }: { readonly name: string; readonly items: readonly unknown[] }) {
  const shown = items.slice(0, MAX_ROWS);
  const fields = [...new Set(shown.flatMap((item) => (isRecord(item) ? Object.keys(item) : [])))];
  const columns = fields.slice(0, MAX_COLUMNS);
  if (items.length === 0) return <p>none</p>;
  return (
    <>
      {columns.length === 0 ? (
        <p>{shown.map(formatScalar).join(", ")}</p>
      ) : (
        <Table label={name} head={columns}>
          {shown.map((item, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{formatScalar(isRecord(item) ? item[column] : item)}</td>
              ))}
            </tr>
          ))}
        </Table>
      )}
      {items.length > MAX_ROWS && (
        <p class="note">
          The first {MAX_ROWS} of {items.length}.
        </p>
      )}
      {fields.length > MAX_COLUMNS && (
        <p class="note">
          The first {MAX_COLUMNS} of {fields.length} fields.
        </p>
      )}
    </>
  );
}

const isNested = (value: unknown): value is Readonly<Record<string, unknown>> | readonly unknown[] =>
  typeof value === "object" && value !== null;

const formatScalar = (value: unknown): string => {
  if (value === null || value === undefined) return "–";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};
