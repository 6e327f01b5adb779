import { stat } from "node:fs/promises";
import { extname, resolve } from "node:path";
import { checkMapping } from "../../../../contract/mapping/check.ts";
import { learnMapping } from "../../../../contract/mapping/learn/learn.ts";
import { LearnedLines, parseLine } from "../../../../contract/mapping/learn/lines.ts";
import type { LearningPort } from "../../../../contract/mapping/learn/port.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import { ClaimsError, credentialError, rejectedError, usageError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";
import { formatCount } from "../../../../domain/numbers.ts";
import { type Connection, resolveConnection } from "../../../connection/connection.ts";
import { readMapping } from "../../../connection/mapping-file.ts";
import { isDryRun } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import type { Output } from "../../../output/output.ts";
import { printMessage } from "../../../output/stderr.ts";
import { resolveWrites } from "../../history/resolve-write.ts";
import type { LearnInvocation } from "./learn.ts";
import { createAsker, printOpenLines } from "./questions.ts";
import { openServicePort } from "./service-port.ts";
import { collectSubmissions, type LoggedSubmission } from "./submissions.ts";

/** What is proved is kept, whatever ends the run. */
export async function runLearn(context: Context, call: LearnInvocation): Promise<Output> {
  const given = await readGivenLines(context, call);
  const connection = await resolveConnection(context, call);
  if (connection.notice) printMessage(context, connection.notice);
  const { global } = call;
  requireConfirmation(call, connection);
  const { service, port, countTrials } = await openServicePort(context, connection, {
    timeout: global.timeout,
    isDryRun: isDryRun(global),
    verbose: global.verbose,
  });
  call.onEnd(service.close);
  const note = (text: string) => printMessage(context, `note: ${text}`);
  const full: LearningPort = { ...port, ask: createAsker(context, global), note };
  const lines = new LearnedLines(full, given);
  let failure: ClaimsError | undefined;
  try {
    const submissions = await collectSubmissions(context, call, service);
    const jobIds = await learnMapping(full, lines, submissions);
    await resolveOpenWrites(context, submissions, jobIds);
  } catch (error) {
    if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
    failure = error;
  }
  const mapping = lines.toMapping();
  if (failure && lines.count("proved") + lines.count("answered") === 0) throw failure;
  printMessage(context, describeLines(lines, countTrials()));
  printOpenLines(context, lines.open);
  return {
    kind: "record",
    json: mapping,
    blocks: [{ kind: "paragraph", lines: JSON.stringify(mapping, null, 2).split("\n") }],
    failure: failure ?? describeOpen(lines),
  };
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
  const isFile = out !== undefined && out !== "-" && extname(out) !== ".csv";
  const found = isFile ? await stat(resolve(context.cwd, out)).catch(() => null) : null;
  const lines: Record<string, Mapping[string]> = found?.isFile()
    ? { ...(await readMapping(context, String(out))) }
    : {};
  for (const [key, text] of options.set ?? []) {
    const line = readSetting(key, text);
    const known = lines[key];
    // Several words, each with a `--set` of its own.
    lines[key] = isRecord(known) && isRecord(line) && key.endsWith(".words") ? { ...known, ...line } : line;
  }
  const [mistake] = checkMapping(lines);
  if (mistake)
    throw usageError("option_invalid", `${mistake.key}: ${mistake.message}`, {
      option: "--set",
      hint: "`claims help mapping` lists the keys and what each takes",
    });
  return lines;
}

function readSetting(key: string, text: string): Mapping[string] {
  try {
    return parseLine(text);
  } catch {
    throw usageError("option_invalid", `the value of ${key} begins with { and is not JSON`, {
      option: "--set",
      hint: `quote it for the shell: --set '${key}={"…": "…"}'`,
    });
  }
}

/** Records the job of each submission whose id could not be read when it was sent. */
async function resolveOpenWrites(
  context: Context,
  submissions: readonly LoggedSubmission[],
  jobIds: readonly (string | null)[],
): Promise<void> {
  for (const [index, { jobId, key }] of submissions.entries()) {
    const learned = jobIds[index];
    if (jobId === null && key !== null && typeof learned === "string")
      await resolveWrites(context, [key], { outcome: "accepted", jobId: learned });
  }
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
