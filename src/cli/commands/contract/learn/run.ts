import { readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { getContract } from "../../../../contract/openapi.ts";
import { createLearner } from "../../../../contract/service-form/learn/learner.ts";
import { markLearned, mergeForms } from "../../../../contract/service-form/learn/merge-forms.ts";
import { addRecording, type RecordingCounts } from "../../../../contract/service-form/learn/recording.ts";
import type { ServiceForm } from "../../../../contract/service-form/service-form.ts";
import { usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { object, oneOf, parseJsonAs, string } from "../../../../domain/shape.ts";
import { isDryRun } from "../../../connection/service.ts";
import { readServiceForm } from "../../../connection/service-form.ts";
import type { Context } from "../../../context.ts";
import { writeFileAtomically } from "../../../files/atomic-file.ts";
import { withLock } from "../../../files/file-lock.ts";
import { readInput } from "../../../files/input-file.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { renderDryRun } from "../../../output/dry-run.ts";
import type { Output } from "../../../output/output.ts";
import { print } from "../../../output/print.ts";
import { printMessage } from "../../../output/stderr.ts";
import { INDEX_FILE } from "../../webhooks/listen/recorder.ts";
import { readDeliveries, skipNothing } from "../../webhooks/triage/read-files.ts";
import type { LearnInvocation } from "./learn.ts";
import { observeService, type RunResult } from "./observe-service.ts";

/** What was learned before a failure is kept. A file of `--out` is added to. */
export async function runLearn(context: Context, call: LearnInvocation): Promise<Output> {
  const { har = [], deliveries = [], job, submit, testEvent } = call.options;
  const { global } = call;
  refuseConflicts(call.options);
  const file = chooseFile(global);
  const saved = file === null ? null : await readFormFile(context, file);
  if (saved && file !== null) warnIfStale(context, saved, file);
  const learner = createLearner();
  let result: RunResult | null = null;
  await learnFromRecordings(context, learner, har, global.baseUrl);
  await learnFromDeliveries(context, learner, deliveries);
  const isOffline = har.length > 0 || deliveries.length > 0;
  if (!isOffline || [job, submit, testEvent].some((each) => each !== undefined)) {
    result = await observeService(context, call, learner);
    if (isDryRun(global)) return printRequests(context, global, result.requests);
  }
  const learned = learner.finish(getContract().hash);
  for (const note of learner.listNotes()) printMessage(context, note);
  const failure = result?.interruption ?? result?.refusal;
  if (failure && isEmpty(learned)) throw failure;
  // Ctrl-C ended the requests, and what they showed is kept.
  const uninterrupted = { ...context, signal: new AbortController().signal };
  const form = file === null ? markLearned(learned) : await addToFormFile(uninterrupted, file, learned);
  if (saved) printMessage(context, `added to ${file}`);
  printFindings(context, form);
  // Without a file, the form itself is what a pipe gets.
  if (file === null)
    await print({ kind: "record", json: form, blocks: [] }, uninterrupted, { ...global, json: true });
  if (failure) throw failure;
  return { kind: "nothing" };
}

/** The file of `--out`, to which the run adds; null if `--fields` or the format leaves a part of the document out. */
const chooseFile = ({ out, fields }: GlobalOptions): string | null =>
  out === undefined || out === "-" || fields !== undefined || extname(out) === ".csv" ? null : out;

const isEmpty = ({ evidence }: ServiceForm): boolean =>
  (evidence?.responses.length ?? 0) === 0 && (evidence?.deliveries ?? 0) === 0;

function refuseConflicts(options: LearnInvocation["options"]): void {
  const { job, submit, sellerName, resume } = options;
  if (submit !== undefined && job !== undefined)
    throw conflictError("--job does not go with --submit", "--submit learns from its own job; leave one out");
  if (submit !== undefined && sellerName === undefined)
    throw conflictError("--submit needs --seller-name", "name the seller of the entries: --seller-name NAME");
  const { check, contentKey, idempotencyKey, jobIdPath, onDuplicate } = options;
  const ofSubmission = {
    ...{ "seller-name": sellerName, resume, check, "on-duplicate": onDuplicate },
    ...{ "job-id-path": jobIdPath, "idempotency-key": idempotencyKey, "content-key": contentKey },
  };
  const alone = submit === undefined ? findGiven(ofSubmission) : undefined;
  if (alone !== undefined)
    throw conflictError(`${alone} needs --submit`, "name the file to submit: --submit FILE");
}

const conflictError = (message: string, hint: string) => usageError("option_conflict", message, { hint });

/** `--job` for the first option that is given. */
function findGiven(options: Readonly<Record<string, unknown>>): string | undefined {
  const [name] = Object.entries(options).find(([, value]) => value !== undefined) ?? [];
  return name && `--${name}`;
}

/** To stdout: a dry run leaves the file of `--out` as it is. */
async function printRequests(
  context: Context,
  { curl, json, color }: GlobalOptions,
  requests: RunResult["requests"],
): Promise<Output> {
  await print(renderDryRun(requests, curl), context, { json, color });
  return { kind: "nothing" };
}

type Learner = ReturnType<typeof createLearner>;

/** @throws ClaimsError `invalid_input` */
async function learnFromRecordings(
  context: Context,
  learner: Learner,
  files: readonly string[],
  baseUrl: string | undefined,
): Promise<void> {
  for (const file of files) {
    const counts = addRecording(learner, (await readInput(context, file)).toString("utf8"), file, baseUrl);
    if (counts.exchanges + counts.deliveries === 0)
      throw usageError("invalid_input", `${file} has no request of this interface (${describe(counts)})`, {
        hint: "record the traffic between a client and the service",
      });
    printMessage(context, `${file}: ${describe(counts)}`);
  }
}

const describe = ({ exchanges, deliveries, others }: RecordingCounts): string =>
  [
    formatCount(exchanges, "exchange"),
    formatCount(deliveries, "delivery", "deliveries"),
    `${formatCount(others, "other request")} left out`,
  ].join(", ");

const forgedDelivery = object({ verdict: oneOf("mismatch", "missing_header", "malformed"), file: string });

/** The files of a recording whose sender need not be the service. */
async function listForged(context: Context, folder: string): Promise<ReadonlySet<string>> {
  const index = await readFile(resolve(context.cwd, folder, INDEX_FILE), "utf8").catch(() => "");
  const lines = index
    .split("\n")
    .flatMap((line) => parseJsonAs<{ readonly file: string }>(line, forgedDelivery) ?? []);
  return new Set(lines.map(({ file }) => join(folder, file)));
}

/** Folders of `listen --record`, raw requests and logs. @throws ClaimsError `invalid_input` */
async function learnFromDeliveries(context: Context, learner: Learner, paths: readonly string[]) {
  for (const path of paths) {
    const skipped = skipNothing();
    const forged = await listForged(context, path);
    let count = 0;
    for await (const { source, delivery } of readDeliveries(context, [path], {}, skipped)) {
      const { headers, body, receivedAt } = delivery;
      if (forged.has(source)) skipped.skipped += 1;
      else if (learner.addDelivery(headers, body.toString("utf8"), receivedAt ?? context.now())) count += 1;
      else skipped.skipped += 1;
    }
    const others = skipped.skipped + skipped.files.length;
    const summary = `${formatCount(count, "delivery", "deliveries")}, ${formatCount(others, "other record")} left out`;
    if (count === 0)
      throw usageError("invalid_input", `${path} has no delivery of this interface (${summary})`, {
        hint: "record deliveries with claims webhooks listen --record",
      });
    printMessage(context, `${path}: ${summary}`);
  }
}

/** Null if there is no file yet. @throws ClaimsError `invalid_input` */
async function readFormFile(context: Context, path: string): Promise<ServiceForm | null> {
  const found = await stat(resolve(context.cwd, path)).catch(() => null);
  return found?.isFile() ? readServiceForm(context, path) : null;
}

/** Evidence of another contract may be about fields that it does not have. */
function warnIfStale(context: Context, { evidence }: ServiceForm, path: string): void {
  if (evidence && evidence.contractHash !== getContract().hash)
    printMessage(context, `warning: ${path} was compared with another version of the contract`);
}

function printFindings(context: Context, { evidence }: ServiceForm): void {
  for (const { operation, subject, seen, statement } of evidence?.findings ?? [])
    printMessage(
      context,
      `the service contradicts the interface: ${operation} ${subject}: ${seen} (${statement})`,
    );
}

/** Joins what was learned with what a file has: each line that a person wrote stays. */
function joinForms(context: Context, earlier: ServiceForm | null, learned: ServiceForm): ServiceForm {
  if (!earlier) return markLearned(learned);
  const { form, differences } = mergeForms(earlier, learned);
  for (const at of differences)
    printMessage(context, `the service differs from what the file says; the line stays: ${at}`);
  return form;
}

/** Adds what was learned to a file, to which other commands may add at the same time. */
async function addToFormFile(context: Context, path: string, learned: ServiceForm) {
  const target = resolve(context.cwd, path);
  return withLock(context, target, async () => {
    const form = joinForms(context, await readFormFile(context, path), learned);
    await writeFileAtomically(target, [`${JSON.stringify(form, null, 2)}\n`]);
    return form;
  });
}
