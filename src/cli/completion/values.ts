import { BROKER_ALIASES } from "../../contract/aliases.ts";
import { FAULT_PRESETS } from "../../contract/fault-presets.ts";
import { GREASE_DIMENSIONS } from "../../contract/grease.ts";
import { ROUTES } from "../../domain/diligence/classify.ts";
import { JOB_STATES } from "../../domain/diligence/states.ts";
import { getScenario, SCENARIO_NAMES } from "../../domain/scenarios/scenarios.ts";
import { isPlainShellWord } from "../../domain/shell.ts";
import { EVENT_TYPES } from "../../domain/webhooks/event-types.ts";
import { getCase, listCaseIds } from "../../domain/webhooks/probe/cases.ts";
import { RETRY_SCHEDULES } from "../../domain/webhooks/retry-schedule.ts";
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
const contracts: ValueSource = { words: ["live", "pinned", "bundled"], paths: "files" };

const describeEach = <T>(
  items: readonly T[],
  entry: (item: T) => readonly [word: string, description: string],
) => Object.fromEntries(items.map(entry));

/** Only from this machine: completion sends no request. */
export const VALUE_SOURCES: Readonly<Record<string, ValueSource>> = {
  alias: { words: describeEach(BROKER_ALIASES, ({ path, canonicalPath }) => [path, canonicalPath]) },
  case: { words: async () => describeEach(listCaseIds(), (id) => [id, getCase(id).sends]) },
  command: files,
  dir: { paths: "folders" },
  event: { words: EVENT_TYPES },
  example: { words: listExamples },
  file: files,
  files,
  from: contracts,
  job: jobs,
  jobs,
  method: { words: METHODS },
  operation: { words: listOperations },
  plan: { words: Object.keys(RETRY_SCHEDULES) },
  preset: { words: describeEach(Object.entries(FAULT_PRESETS), ([name, { summary }]) => [name, summary]) },
  profile: { words: listProfiles },
  program: files,
  route: { words: ROUTES },
  rule: { words: listConformanceRules },
  sandbox: { words: listSandboxes },
  scenario: { words: describeEach(SCENARIO_NAMES, (name) => [name, getScenario(name).description]) },
  source: files,
  state: { words: ["accepted", "refused", "unknown", "forgotten", ...JOB_STATES] },
  to: contracts,
  what: { words: [...GREASE_DIMENSIONS, "all"] },
  when: { words: { next: "the next scheduled task", idle: "until no task is scheduled" } },
};

/** Loads the table of operations, which takes longer than the rest of completion. */
async function listOperations(): Promise<Words> {
  const { ALL_OPERATIONS } = await import("../../contract/operations/operations.ts");
  return describeEach(ALL_OPERATIONS, ({ id, summary }) => [id, summary]);
}

async function listConformanceRules(): Promise<Words> {
  const { RULES } = await import("../../conformance/rules.ts");
  return describeEach(RULES, ({ id, title }) => [id, `the program ${title}`]);
}

async function listExamples(): Promise<Words> {
  const { EXAMPLES } = await import("../capabilities/example-files.ts");
  return describeEach(EXAMPLES, ({ name, summary }) => [name, summary]);
}

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
