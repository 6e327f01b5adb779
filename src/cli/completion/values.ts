import { BROKER_ALIASES } from "../../contract/aliases.ts";
import { FAULT_PRESETS } from "../../contract/fault-presets.ts";
import { JOB_STATES } from "../../domain/diligence/states.ts";
import { getScenario, SCENARIO_NAMES } from "../../domain/scenarios/scenarios.ts";
import { isPlainShellWord } from "../../domain/shell.ts";
import { EVENT_TYPES } from "../../domain/webhooks/event-types.ts";
import { readConfig } from "../connection/config.ts";
import { readLocators } from "../connection/locator.ts";
import type { Context } from "../context.ts";
import { METHODS } from "../framework/values.ts";
import { openWriteLog } from "../write-log/write-log.ts";
import { toWriteRecords } from "../write-log/write-records.ts";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

export interface Completions {
  readonly candidates: readonly Candidate[];
  /** The shell itself completes names of files or folders. */
  readonly paths?: "files" | "folders";
}

/** Completes a kind of value: the name of an argument, or of an option's value, in its declaration. */
export type ValueCompleter = (kind: string) => Promise<Completions>;

/** Words, each with its description, or a list of words without descriptions. */
type Words = Readonly<Record<string, string>> | readonly string[];

interface ValueSource {
  readonly words?: Words | ((context: Context) => Promise<Words>);
  readonly paths?: Completions["paths"];
}

const files: ValueSource = { paths: "files" };
const jobs: ValueSource = { words: listLatestJobs };

const describeEach = <T>(
  items: readonly T[],
  entry: (item: T) => readonly [word: string, description: string],
) => Object.fromEntries(items.map(entry));

/** Only from this machine: completion sends no request. */
export const VALUE_SOURCES: Readonly<Record<string, ValueSource>> = {
  alias: { words: describeEach(BROKER_ALIASES, ({ path, canonicalPath }) => [path, canonicalPath]) },
  command: files,
  dir: { paths: "folders" },
  event: { words: EVENT_TYPES },
  file: files,
  files,
  from: files,
  job: jobs,
  jobs,
  method: { words: METHODS },
  preset: { words: describeEach(Object.entries(FAULT_PRESETS), ([name, { summary }]) => [name, summary]) },
  profile: { words: listProfiles },
  program: files,
  sandbox: { words: listSandboxes },
  scenario: { words: describeEach(SCENARIO_NAMES, (name) => [name, getScenario(name).description]) },
  source: files,
  state: { words: ["accepted", "refused", "unknown", "forgotten", ...JOB_STATES] },
  to: files,
};

const MAX_JOBS = 30;

/** The latest jobs that this machine submitted. A shell inserts a word unquoted, so other ids are left out. */
async function listLatestJobs(context: Context): Promise<Words> {
  const words: Record<string, string> = {};
  for (const { jobId, file, seller, state } of toWriteRecords(await openWriteLog(context).read()).reverse()) {
    if (jobId === null || Object.hasOwn(words, jobId) || !isPlainShellWord(jobId)) continue;
    words[jobId] = [state ?? "accepted", file, seller].filter(Boolean).join(", ");
    if (Object.keys(words).length === MAX_JOBS) break;
  }
  return words;
}

async function listProfiles(context: Context): Promise<Words> {
  const { current, profiles } = await readConfig(context);
  return describeEach(Object.entries(profiles), ([name, { baseUrl }]) => [
    name,
    name === current ? `${baseUrl} (current)` : baseUrl,
  ]);
}

async function listSandboxes(context: Context): Promise<Words> {
  const running = (await readLocators(context)).filter(
    (locator) => context.processes.statusOf(locator) !== "dead",
  );
  return describeEach(running, ({ name, url }) => [name, url]);
}

export const createValueCompleter =
  (context: Context): ValueCompleter =>
  async (kind) => {
    const { words = [], paths } = VALUE_SOURCES[kind] ?? {};
    const found = typeof words === "function" ? await words(context) : words;
    return { candidates: toCandidates(found), ...(paths && { paths }) };
  };

const toCandidates = (words: Words): Candidate[] =>
  Array.isArray(words)
    ? words.map((value) => ({ value, description: "" }))
    : Object.entries(words).map(([value, description]) => ({ value, description }));
