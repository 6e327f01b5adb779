import { extname, resolve } from "node:path";
import { createLearner } from "../../../../contract/observed/learner.ts";
import { mergeServices } from "../../../../contract/observed/merge.ts";
import type { ObservedService } from "../../../../contract/observed/observed-service.ts";
import { getContract } from "../../../../contract/openapi.ts";
import { usageError } from "../../../../domain/errors.ts";
import { readObservedService } from "../../../connection/observed-service.ts";
import { isDryRun } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { renderDryRun } from "../../../output/dry-run.ts";
import type { Output } from "../../../output/output.ts";
import { print } from "../../../output/print.ts";
import { printMessage } from "../../../output/stderr.ts";
import { observeService, type RunResult } from "./observe-service.ts";
import { addToObservedFile, readObservedFile, warnIfStale } from "./observed-file.ts";
import type { LearnInvocation } from "./options.ts";
import { learnFromDeliveries, learnFromRecordings } from "./recordings.ts";
import { renderObserved } from "./render-observed.ts";

/**
 * Learns from recordings, or from the service. What was learned before a failure is printed, too, or added to the file of
 * `--out`: the same command continues then.
 */
export async function runLearn(context: Context, call: LearnInvocation): Promise<Output> {
  const { har = [], deliveries = [], merge } = call.options;
  const { global } = call;
  refuseConflicts(call.options);
  const file = chooseFile(global);
  const saved = file === null ? null : await readObservedFile(context, file);
  const isSame =
    merge !== undefined && file !== null && resolve(context.cwd, merge) === resolve(context.cwd, file);
  const merged = merge === undefined || (isSame && saved) ? null : await readObservedService(context, merge);
  if (merged && merge !== undefined) warnIfStale(context, merged, merge);
  if (saved && file !== null) warnIfStale(context, saved, file);
  const learner = createLearner();
  let result: RunResult | null = null;
  if (har.length > 0 || deliveries.length > 0) {
    await learnFromRecordings(context, learner, har, global.baseUrl);
    await learnFromDeliveries(context, learner, deliveries);
  } else {
    result = await observeService(context, call, learner, joinServices(merged, saved));
    if (isDryRun(global)) return printRequests(context, global, result.requests);
  }
  const learned = learner.finish(getContract().hash);
  for (const note of learner.listNotes()) printMessage(context, note);
  const failure = result?.interruption ?? result?.refusal;
  if (learned.responses.length === 0 && learned.deliveries.length === 0 && failure) throw failure;
  // Recordings do not end an earlier run.
  const isPartial = result ? result.interruption !== undefined : undefined;
  const own = { ...learned, ...(isPartial !== undefined && { isPartial }) };
  const all = merged ? mergeServices(merged, own) : own;
  // Ctrl-C ended the requests, and what they showed is kept.
  const uninterrupted = { ...context, signal: new AbortController().signal };
  const service = file === null ? all : await addToObservedFile(uninterrupted, file, all);
  if (saved) printMessage(context, `added to ${file}, which has what was learned since ${saved.firstAt}`);
  if (file === null) await print(renderObserved(service), uninterrupted, global);
  if (failure) throw failure;
  return { kind: "nothing" };
}

/** The file of `--out`, to which the run adds; null if `--fields` or the format leaves a part of the document out. */
const chooseFile = ({ out, fields }: GlobalOptions): string | null =>
  out === undefined || out === "-" || fields !== undefined || extname(out) === ".csv" ? null : out;

const joinServices = (earlier: ObservedService | null, later: ObservedService | null) =>
  earlier && later ? mergeServices(earlier, later) : (later ?? earlier);

function refuseConflicts(options: LearnInvocation["options"]): void {
  const { har, deliveries, job, submit, sellerName, resume, testEvent } = options;
  const online = findGiven({ job, submit, "test-event": testEvent });
  const offline = findGiven({ har, deliveries });
  if (online !== undefined && offline !== undefined)
    throw usageError("option_conflict", `${online} does not go with ${offline}`, {
      hint: `${online} calls the service; leave it out, or leave out ${offline}`,
    });
  if (submit !== undefined && job !== undefined)
    throw usageError("option_conflict", "--job does not go with --submit", {
      hint: "--submit learns from its own job; leave one out",
    });
  if (submit !== undefined && sellerName === undefined)
    throw usageError("option_conflict", "--submit needs --seller-name", {
      hint: "name the seller of the entries: --seller-name NAME",
    });
  const { check, idempotencyKey, jobIdPath, onDuplicate } = options;
  const ofSubmission = {
    ...{ "seller-name": sellerName, resume, check, "on-duplicate": onDuplicate },
    ...{ "job-id-path": jobIdPath, "idempotency-key": idempotencyKey },
  };
  const alone = submit === undefined ? findGiven(ofSubmission) : undefined;
  if (alone !== undefined)
    throw usageError("option_conflict", `${alone} needs --submit`, {
      hint: "name the file to submit: --submit FILE",
    });
}

/** `--job` for the first option that is given. */
function findGiven(options: Readonly<Record<string, unknown>>): string | undefined {
  const [name] = Object.entries(options).find(([, value]) => value !== undefined) ?? [];
  return name && `--${name}`;
}

/** To stdout: a dry run leaves the file of `--out` as it is. */
async function printRequests(
  context: Context,
  { print: form, json, color }: GlobalOptions,
  requests: RunResult["requests"],
): Promise<Output> {
  await print(renderDryRun(requests, form), context, { json, color });
  return { kind: "nothing" };
}
