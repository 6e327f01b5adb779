import { resolve } from "node:path";
import { usageError, verificationError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { describeFields, NAMING } from "../../../../domain/webhooks/input-formats/read-document.ts";
import { Triage, type TriagedDelivery, type TriageReport } from "../../../../domain/webhooks/triage.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { refuseSecondStdin } from "../../../files/input-file.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { type Output, toListOutput } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { toFieldPaths } from "../options.ts";
import { readVerification, refuseStdinConflict } from "../signing-secrets.ts";
import { BODY_OR_SECRET, mayBeOtherSecret, NEXT_STEP } from "../verify/verdict-view.ts";
import { LogVerification } from "./log-verification.ts";
import { readDeliveries, type Skipped, skipNothing } from "./read-files.ts";
import { countDeliveries, describeDoubts, renderMarkdown, renderTriage, summarize } from "./report.ts";
import type { TriageOptions } from "./triage.ts";

export async function runTriage(
  context: Context,
  paths: readonly string[],
  options: TriageOptions,
  { json, ndjson, csv }: GlobalOptions,
): Promise<Output> {
  refuseSecondStdin(paths);
  refuseStdinConflict([...paths, ...(options.secretFile ?? [])]);
  const verification = await readVerification(context, options);
  const fields = toFieldPaths(options.field);
  const skipped = skipNothing();
  const triage = new Triage();
  let report = triage.report();

  async function* verifyAll(): AsyncGenerator<TriagedDelivery> {
    const records = new LogVerification(verification);
    for await (const triaged of records.verifyAll(readDeliveries(context, paths, fields, skipped))) {
      triage.add(triaged);
      yield triaged;
    }
    report = triage.report();
    const lacking = records.describeLacks();
    if (report.total === 0) throw noDeliveriesError(skipped, lacking[0]);
    for (const { message, hint } of lacking) printMessage(context, `${message}: ${hint}`);
    const parts = describeSkipped(skipped);
    if (parts.length > 0) printMessage(context, `skipped ${parts.join("; ")}`);
    // The head of the table on a terminal says the same.
    if (!context.stdout.isTerminal || json || ndjson || csv) printMessage(context, summarize(report));
    for (const doubt of describeDoubts(report)) printMessage(context, doubt);
    const isGood = findFailure(report) === undefined && report.doubts.length === 0;
    if (isGood && report.total > 0) printMessage(context, NEXT_STEP);
    await writeReports(context, options.report ?? [], report);
  }

  if (ndjson || csv)
    return toListOutput({
      items: verifyAll(),
      emptyMessage: "no deliveries",
      columns: [
        { name: "source", isId: true },
        { name: "verdict" },
        { name: "causes", value: ({ causes }) => causes.join(" ") },
        { name: "time", value: ({ time }) => formatTime(time) },
        { name: "status" },
      ],
      toRecord: ({ source, verdict, causes, time, clockOffset, status }) => ({
        source,
        verdict,
        causes,
        time: formatTime(time),
        clockOffset,
        status,
      }),
      failure: () => findFailure(report),
    });
  for await (const _ of verifyAll());
  return { kind: "record", json: report, blocks: renderTriage(report), failure: findFailure(report) };
}

const formatTime = (time: number | null): string | null =>
  time === null ? null : new Date(time).toISOString();

/** @param lacking what a record lacks, if there is one without a delivery */
function noDeliveriesError(skipped: Skipped, lacking: { message: string; hint: string } | undefined) {
  const problem = lacking ? `: ${lacking.message}` : ` (${describeSkipped(skipped).join("; ")})`;
  const isNothing = skipped.skipped + skipped.files.length === 0;
  const ofFields = `name the fields of a log: ${NAMING}${describeFields(skipped)}`;
  const hint = lacking?.hint ?? (isNothing ? "name a file with deliveries" : ofFields);
  return usageError("no_deliveries", `no delivery found${problem}`, { hint });
}

function describeSkipped({ skipped, files, empty }: Skipped): readonly string[] {
  const without = formatCount(files.length, "file without a delivery", "files without a delivery");
  return [
    ...(skipped > 0 ? [`${formatCount(skipped, "record")} without a delivery`] : []),
    ...(files.length > 0 ? [`${without}: ${files.join(", ")}`] : []),
    ...(empty.length > 0 ? [`${formatCount(empty.length, "empty file")}: ${empty.join(", ")}`] : []),
  ];
}

function findFailure({ total, valid, groups, refused, doubts }: TriageReport) {
  if (valid === total && refused === null) return undefined;
  const [group] = groups;
  if (!group && refused) {
    const verb = refused.count === 1 ? "verifies" : "verify";
    const message = `the receiver refused ${countDeliveries(refused.count)} that ${verb}`;
    const other = "look at the receiver, not at the deliveries: claims webhooks probe URL names what it does";
    const hint = refused.actions[0]?.fix ?? doubts[0]?.advice ?? other;
    return verificationError("deliveries_refused", message, { hint });
  }
  const verb = total - valid === 1 ? "is" : "are";
  const refusal = group?.verdict === "mismatch" ? "refuse what nothing explains, as it can be forged; " : "";
  const like = group?.verdict === "stale" ? " with the same --tolerance" : "";
  const example = `${refusal}"claims webhooks verify ${group?.example ?? ""}"${like} shows one of them`;
  const isUnsure =
    valid === 0 && groups.every(({ causes, verdict }) => verdict === "mismatch" && mayBeOtherSecret(causes));
  const advice = group?.actions[0]?.fix ?? example;
  const hint = isUnsure ? `${BODY_OR_SECRET}; ${advice}` : advice;
  const message = `${total - valid} of ${countDeliveries(total)} ${verb} not valid`;
  return verificationError("not_verified", message, { hint });
}

async function writeReports({ cwd, signal }: Context, paths: readonly string[], report: TriageReport) {
  for (const path of paths) {
    const text = path.endsWith(".md") ? renderMarkdown(report) : `${JSON.stringify(report, null, 2)}\n`;
    await writeFileAtomically(resolve(cwd, path), [text], { signal });
  }
}
