import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { DiligenceReport } from "../../../domain/diligence/report.ts";
import { timeToDay } from "../../../domain/entries/dates.ts";
import { ClaimsError, usageError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { refuseSecondStdin } from "../../files/input-file.ts";
import { refuseReplacedInput } from "../../files/replaced-input.ts";
import { aggregateErrors } from "../../framework/aggregate-errors.ts";
import { command } from "../../framework/command.ts";
import { parseDay } from "../../framework/values.ts";
import { describeHint } from "../../output/hints.ts";
import { type ListColumn, toListOutput } from "../../output/output.ts";
import { listCsvFiles } from "./csv-files.ts";
import { openEntryFile } from "./entry-file.ts";
import { toEntryFileFailure } from "./entry-file-failure.ts";
import { checkReport, failOnForCheck } from "./fail-on.ts";
import { warnAboutFile } from "./file-warnings.ts";
import { mappingOptions, readMapping } from "./mapping-options.ts";
import { parseSellerName, protestDocs } from "./options.ts";
import { checkRejectedCsvPath, rejectedCsv, writeRejectedCsv } from "./rejected-csv.ts";
import { reportBlocks } from "./report-card.ts";

interface CheckedFile {
  readonly file: string;
  readonly report: DiligenceReport | null;
  readonly failure: ClaimsError | undefined;
}

export const check = command({
  name: "check",
  summary: "assess CSV files of entries offline, by the rules of the sandbox",
  output: "list",
  quietPrints: "file names",
  arguments: [
    {
      name: "files",
      help: "CSV files of entries, or folders of them; - is stdin",
      isVariadic: true,
    },
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
    ...rejectedCsv,
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
    const [{ assessFile }, { pickRejectedRows }] = await Promise.all([
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
        const picker = pickRejectedRows(assessment.asOf, rejectedGroups, mapped?.mapping);
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
      await checkRejectedCsvPath(context, options.rejectedCsv, paths);
    }
    const [only] = args.files;
    if (only !== undefined && paths.length === 1 && paths[0] === only && !global.csv && !global.ndjson) {
      const report = await assess(only);
      const failure = checkReport(report, options.failOn);
      return { kind: "record", json: report, id: only, blocks: reportBlocks(report), failure };
    }
    const failures: ClaimsError[] = [];
    async function* items(): AsyncGenerator<CheckedFile> {
      for (const file of paths) {
        try {
          const report = await assess(file);
          const failure = checkReport(report, options.failOn);
          if (failure) failures.push(failure);
          yield { file, report, failure };
        } catch (failure) {
          if (!(failure instanceof ClaimsError) || failure.kind === "interrupted") throw failure;
          failures.push(failure);
          yield { file, report: null, failure };
        }
      }
    }
    return toListOutput<CheckedFile>({
      items: items(),
      columns: COLUMNS,
      idOf: ({ file }) => file,
      toRecord: toJson,
      emptyMessage: "no files",
      failure: () => aggregateErrors(failures, `${paths.length} files`),
    });
  },
});

/** A folder as the CSV files in it; any other path as it is. */
async function expandFolder({ cwd }: Context, path: string): Promise<readonly string[]> {
  const found = path === "-" ? null : await stat(resolve(cwd, path)).catch(() => null);
  if (!found?.isDirectory()) return [path];
  const names = await listCsvFiles(resolve(cwd, path));
  if (names.length > 0) return names.map((name) => join(path, name));
  throw usageError("nothing_to_check", `${path} has no .csv file`, { hint: "name a folder of entry files" });
}

function requireSingleFile({ length }: readonly string[], option: string): void {
  if (length === 1) return;
  throw usageError("single_file_required", `${option} takes one file of entries; ${length} are given`, {
    hint: "run the command once for each file",
  });
}

const COLUMNS: readonly ListColumn<CheckedFile>[] = [
  { name: "file", isId: true },
  { name: "report.rf8Review.outcome", title: "outcome", value: ({ report }) => report?.rf8Review.outcome },
  {
    name: "report.totals.entriesAccepted",
    title: "accepted",
    align: "right",
    value: ({ report }) => report?.totals.entriesAccepted,
  },
  {
    name: "report.totals.entriesRejected",
    title: "rejected",
    align: "right",
    value: ({ report }) => report?.totals.entriesRejected,
  },
  {
    name: "error.message",
    title: "error",
    canWrap: true,
    isOptional: true,
    value: ({ failure }) => failure?.message,
  },
];

const toJson = ({ file, report, failure }: CheckedFile) => ({
  file,
  report,
  error:
    failure === undefined
      ? null
      : { code: failure.code, message: failure.message, hint: describeHint(failure) },
});
