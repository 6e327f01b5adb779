import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { DiligenceReport } from "../../../domain/diligence/report.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import type { RejectedRowPicker } from "../../../domain/entries/rejected-rows.ts";
import { ClaimsError, rephraseError, usageError } from "../../../domain/errors.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { refuseSecondStdin } from "../../files/input-file.ts";
import { refuseReplacedInput } from "../../files/replaced-input.ts";
import { aggregateErrors } from "../../framework/aggregate-errors.ts";
import { command } from "../../framework/command.ts";
import { parseDay } from "../../framework/values.ts";
import { describeHint } from "../../output/hints.ts";
import { type Block, type ListColumn, toListOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";
import { warnAboutFile } from "./check-submission.ts";
import { createShortNames, listCsvFiles, reasonsTable } from "./csv-files.ts";
import { openEntryFile } from "./entry-file.ts";
import { toEntryFileFailure } from "./entry-file-failure.ts";
import { mappingOptions, readMapping } from "./mapping-options.ts";
import { checkReport, failOnForCheck, parseSellerName, protestDocs } from "./options.ts";
import { reportBlocks } from "./report-card.ts";

interface CheckedFile {
  readonly file: string;
  readonly report: DiligenceReport | null;
  readonly failure: ClaimsError | undefined;
}

export const check = command({
  name: "check",
  prints: "OfflineReports",
  summary: "assess CSV files of entries offline, by the rules of the sandbox",
  output: "list",
  quietPrints: "file names",
  arguments: [
    { name: "files", help: "CSV files of entries, or folders of them; - is stdin", isVariadic: true },
  ],
  options: {
    asOf: { value: "date", parse: parseDay, help: "date of the assessment, YYYY-MM-DD (today, UTC)" },
    sellerName: {
      value: "name",
      parse: parseSellerName,
      help: "name of the seller, to compare importers with",
    },
    protestDocs,
    ...failOnForCheck,
    rejectedCsv: {
      value: "file",
      isOutput: true,
      help: "write the rows of rejected entries to a CSV file, with line, codes and reasons",
    },
    ...mappingOptions,
    verbose: {
      short: "v",
      help: "show every warning about a file on stderr, not only those that change a claim",
    },
  },
  examples: [
    'claims diligence check es003.csv --seller-name "Harbor & Pine Trading, LLC"',
    "claims diligence check ./entries --fail-on rejected=10",
    "claims diligence check es003.csv --rejected-csv rejected.csv",
    'claims diligence check export.csv --delimiter ";" --map "Entrada=entry_number" --map "País=country_of_origin_code"',
    "claims diligence check - < es003.csv",
  ],
  async run(context, { args, global, options, onEnd }) {
    const [{ assessFile }, { RejectedRowPicker }] = await Promise.all([
      import("./assess-file.ts"),
      import("../../../domain/entries/rejected-rows.ts"),
    ]);
    const assessment = {
      asOf: options.asOf ?? timeToDay(context.now()),
      sellerName: options.sellerName ?? "",
      requiresProtestDocumentation: options.protestDocs ?? false,
    };
    const assess = async (path: string) => {
      const { file, mapped } = await openEntryFile(context, path, onEnd, { mapping, fileName });
      const { report, rejectedGroups } = await assessFile(context, file, assessment).catch(
        async (error: unknown) => {
          throw await toEntryFileFailure(file, error);
        },
      );
      if (options.rejectedCsv !== undefined) {
        const picker = new RejectedRowPicker(assessment.asOf, rejectedGroups, mapped?.mapping);
        await writeRejectedCsv(context, file.chunks(), options.rejectedCsv, picker);
      }
      warnAboutFile(context, file.displayName, report.fileWarnings, options.verbose);
      return report;
    };
    const { fileName, mapFile } = options;
    refuseSecondStdin([...args.files, mapFile ?? ""]);
    const mapping = await readMapping(context, options, global);
    const paths = (await Promise.all(args.files.map((path) => expandFolder(context, path)))).flat();
    if (global.out !== undefined) await refuseReplacedInput(context, "--out", global.out, paths);
    if (fileName !== undefined) requireSingleFile(paths, "--file-name");
    if (options.rejectedCsv !== undefined) {
      requireSingleFile(paths, "--rejected-csv");
      if (options.rejectedCsv === "-")
        throw usageError("option_conflict", "--rejected-csv writes a file, because stdout has the report", {
          hint: "name a file",
        });
      await refuseReplacedInput(context, "--rejected-csv", options.rejectedCsv, paths);
    }
    const [only] = args.files;
    if (only !== undefined && paths.length === 1 && paths[0] === only && !global.csv && !global.ndjson) {
      const report = await assess(only);
      const failure = checkReport(report, options.failOn);
      return { kind: "record", json: report, id: only, blocks: reportBlocks(report), failure };
    }
    const failed: FailedFile[] = [];
    async function* items(): AsyncGenerator<CheckedFile> {
      for (const file of paths) {
        const checked = await assess(file).then(
          (report) => ({ file, report, failure: checkReport(report, options.failOn) }),
          (failure: unknown) => {
            if (!(failure instanceof ClaimsError) || failure.kind === "interrupted") throw failure;
            return { file, report: null, failure };
          },
        );
        const { failure } = checked;
        if (failure) failed.push({ file, failure });
        yield checked;
      }
    }
    const nameOf = createShortNames(paths);
    return toListOutput<CheckedFile>({
      items: items(),
      columns: createColumns(nameOf),
      idOf: ({ file }) => file,
      toRecord: toJson,
      emptyMessage: "no files",
      details: () => listReasons(failed, nameOf),
      failure: () => summarizeFailures(failed, paths.length, global.quiet),
    });
  },
});

/** Mode 0600: they are the importer's own cells. */
async function writeRejectedCsv(
  context: Context,
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  picker: RejectedRowPicker,
): Promise<void> {
  async function* pick(): AsyncGenerator<string> {
    for await (const bytes of chunks) yield picker.push(bytes);
    yield picker.end();
  }
  const { cwd, signal } = context;
  await writeFileAtomically(resolve(cwd, path), pick(), { mode: 0o600, signal });
  const rows = formatCount(picker.count, "row");
  printMessage(context, `wrote ${rows} of rejected entries to ${path}`, { path });
}

async function expandFolder({ cwd }: Context, path: string): Promise<readonly string[]> {
  const found = path === "-" ? null : await stat(resolve(cwd, path)).catch(() => null);
  if (!found?.isDirectory()) return [path];
  const names = await listCsvFiles(resolve(cwd, path));
  if (names.length > 0) return names.map((name) => join(path, name));
  throw usageError("invalid_input", `${path} has no .csv file`, { hint: "name a folder of entry files" });
}

function requireSingleFile({ length }: readonly string[], option: string): void {
  if (length === 1) return;
  throw usageError("option_conflict", `${option} takes one file of entries; ${length} are given`, {
    hint: "run the command once for each file",
  });
}

interface FailedFile {
  readonly file: string;
  readonly failure: ClaimsError;
}

/** For a terminal. The table has the name of the file. */
const listReasons = (failed: readonly FailedFile[], nameOf: (file: string) => string): readonly Block[] =>
  failed.length === 0
    ? []
    : [
        reasonsTable(
          "Did not pass",
          failed.map(({ file, failure }) => ({
            name: nameOf(file),
            text: failure.message.replace(file, "").replace(/^[,:] /, ""),
            hint: describeHint(failure),
          })),
        ),
      ];

/** The list has each message, unless it is quiet. */
function summarizeFailures(failed: readonly FailedFile[], total: number, isQuiet = false) {
  const errors = failed.map(({ failure }) => failure);
  const worst = aggregateErrors(errors, `${total} files`);
  if (worst === undefined || isQuiet) return worst;
  return rephraseError(worst, {
    message: `${failed.length} of ${formatCount(total, "file")} did not pass`,
    hint: "the list has the reason of each file, and what to do",
  });
}

const totalColumn = (
  name: "entriesAccepted" | "entriesRejected",
  title: string,
): ListColumn<CheckedFile> => ({
  name: `report.totals.${name}`,
  title,
  align: "right",
  value: ({ report }) => report?.totals[name],
});

const createColumns = (nameOf: (file: string) => string): readonly ListColumn<CheckedFile>[] => [
  { name: "file", isId: true, display: ({ file }) => nameOf(file) },
  { name: "report.rf8Review.outcome", title: "outcome", value: ({ report }) => report?.rf8Review.outcome },
  totalColumn("entriesAccepted", "accepted"),
  totalColumn("entriesRejected", "rejected"),
  { name: "error.message", isHidden: true, value: ({ failure }) => failure?.message },
  { name: "error.hint", isHidden: true, value: ({ failure }) => failure && describeHint(failure) },
];

const toJson = ({ file, report, failure }: CheckedFile) => ({
  file,
  report,
  error: failure ? { code: failure.code, message: failure.message, hint: describeHint(failure) } : null,
});
