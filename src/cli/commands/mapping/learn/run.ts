import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { findTimeForm, listLeaves } from "../../../../client/leaves.ts";
import { checkMapping } from "../../../../contract/mapping/check.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import { ClaimsError, credentialError, rejectedError, usageError } from "../../../../domain/errors.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { type Connection, resolveConnection } from "../../../connection/connection.ts";
import { readMapping } from "../../../connection/mapping-file.ts";
import { isDryRun, openConnection, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { resolveWrites } from "../../history/resolve-writes.ts";
import { learnDataset } from "./dataset.ts";
import { learnErrors } from "./errors.ts";
import { type JobHistory, learnJob, watchJob } from "./job.ts";
import type { LearnInvocation } from "./learn.ts";
import { addWords, LearnedLines, parseLine } from "./lines.ts";
import { learnLists } from "./lists.ts";
import { ServiceReads } from "./service-reads.ts";
import { collectSubmissions, learnSubmittedId } from "./submissions.ts";

/** A read that fails is an answer, too. */
const SINGLE_ATTEMPT = { maxAttempts: 1, maxPauseMs: 0 };

/** What is proved is kept, whatever ends the run. */
export async function runLearn(context: Context, call: LearnInvocation): Promise<Output> {
  const given = await readGivenLines(context, call);
  const connection = { ...(await resolveConnection(context, call)), mapping: undefined };
  requireConfirmation(call, connection);
  const service = await openConnection(context, call, connection, { retryPolicy: SINGLE_ATTEMPT });
  const reads = new ServiceReads(service);
  const lines = new LearnedLines(context, call.global, given);
  const failure = await learnMapping(context, call, service, reads, lines).catch((error) => {
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    return error;
  });
  if (failure && lines.count("proved") + lines.count("answered") === 0) throw failure;
  printMessage(context, describeLines(lines, reads.trials));
  lines.printOpen();
  const mapping = lines.toMapping();
  return {
    kind: "record",
    json: mapping,
    blocks: [{ kind: "paragraph", lines: JSON.stringify(mapping, null, 2).split("\n") }],
    failure: failure ?? describeOpen(lines),
  };
}

/** Learns the jobs of the submissions, errors and lists. What is proved is in the lines at any time. */
async function learnMapping(
  context: Context,
  call: LearnInvocation,
  service: Service,
  reads: ServiceReads,
  lines: LearnedLines,
): Promise<undefined> {
  const collected = await collectSubmissions(context, call, service);
  const note = (text: string) => printMessage(context, `note: ${text}`);
  const submissions = await learnSubmittedId(reads, lines, collected);
  const jobs: JobHistory[] = [];
  for (const { name, sent, jobId: id } of submissions) {
    if (id === null) continue;
    const documents = await watchJob(context, reads, id, call.global.timeout);
    jobs.push({ id, file: name, isClean: sent?.isClean === true, documents });
  }
  await learnJob(lines, jobs);
  for (const { id } of jobs) if (await learnDataset(reads, lines, id)) break;
  await learnErrors(reads, lines, jobs[0]?.id);
  await learnLists(reads, lines, note);
  learnTimes(reads, lines);
  // Records the job of each submission whose id could not be read when it was sent.
  for (const { sent, jobId } of submissions)
    if (sent?.jobId === null && jobId !== null)
      await resolveWrites(context, [sent.key], { outcome: "accepted", jobId });
}

/** How a service writes times, if it writes all alike. */
function learnTimes({ documents }: ServiceReads, lines: LearnedLines): void {
  const leaves = documents.flatMap(({ json }) => listLeaves(json));
  const forms = new Set(leaves.map(({ value }) => findTimeForm(value)));
  forms.delete(null);
  forms.delete("date");
  const [only] = forms;
  if (forms.size === 1 && only && only !== "other" && only !== "date" && only !== "rfc3339")
    lines.prove("times", only);
}

/** It reads much at once: production needs a word, and a write names it. @throws ClaimsError `production_not_confirmed` */
function requireConfirmation({ global, options }: LearnInvocation, { baseUrl, environment }: Connection) {
  if (environment !== "production" || isDryRun(global)) return;
  const writes = options.submit !== undefined;
  if (options.yes && (!writes || global.environment === "production")) return;
  const [verb, hint] = writes
    ? ["writes to", "give --environment production and --yes to write to it"]
    : ["reads", "give --yes to read it; nothing is written"];
  throw credentialError("production_not_confirmed", `this ${verb} PRODUCTION (${baseUrl})`, { hint });
}

/** The lines of `--set`, and those of the file of `--out`: about them, nothing is asked again. */
async function readGivenLines(context: Context, { global, options }: LearnInvocation): Promise<Mapping> {
  const { out } = global;
  const isFile =
    out !== undefined && (await stat(resolve(context.cwd, out)).catch(() => null))?.isFile() === true;
  const lines: Record<string, Mapping[string]> = isFile ? { ...(await readMapping(context, out)) } : {};
  for (const [key, text] of options.set ?? []) {
    const line = parseLine(text);
    lines[key] = key.endsWith(".words") ? addWords(lines[key], line) : line;
  }
  const [mistake] = checkMapping(lines);
  if (!mistake) return lines;
  throw usageError("option_invalid", `${mistake.key}: ${mistake.message}`, {
    option: "--set",
    hint: `\`claims help mapping\` lists the keys and what each takes; quote JSON for the shell: --set '${mistake.key}={"…": "…"}'`,
  });
}

const describeLines = (lines: LearnedLines, trials: number): string =>
  [
    `${lines.count("proved")} proved`,
    ...(lines.count("given") > 0 ? [`${lines.count("given")} given`] : []),
    `${lines.count("answered")} answered`,
    `${listOpenKeys(lines).length} open`,
    `${formatCount(lines.asked, "question")}, ${formatCount(trials, "trial")}`,
  ].join("; ");

const listOpenKeys = ({ open }: LearnedLines): readonly string[] => [...new Set(open.map(({ key }) => key))];

function describeOpen(lines: LearnedLines): ClaimsError | undefined {
  const keys = listOpenKeys(lines);
  if (keys.length === 0) return undefined;
  return rejectedError("mapping_incomplete", `the mapping has no line yet for ${keys.join(", ")}`, {
    hint: "run the command again with the same --out and a --set line for each, or at a terminal",
  });
}
