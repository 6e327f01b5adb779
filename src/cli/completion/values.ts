import { BROKER_ALIASES } from "../../contract/aliases.ts";
import { GREASE_DIMENSIONS } from "../../contract/grease.ts";
import { FAULT_PRESETS } from "../../domain/faults/presets.ts";
import { getScenario, SCENARIO_NAMES } from "../../domain/scenarios/scenarios.ts";
import { EVENT_TYPES } from "../../domain/webhooks/event-types.ts";
import { getCase, listCaseIds } from "../../domain/webhooks/probe/cases.ts";
import { RETRY_SCHEDULES } from "../../domain/webhooks/retry-schedule.ts";
import { readConfig } from "../connection/config-file.ts";
import { readLocators } from "../connection/locator.ts";
import type { Context } from "../context.ts";
import { METHODS } from "../framework/http-methods.ts";
import { isPlainShellWord } from "../output/shell-quote.ts";
import { openWriteLog } from "../write-log/write-log.ts";
import { toWriteRecords } from "../write-log/write-record.ts";
import type { Candidate, Completions } from "./complete.ts";

/** What there is to choose from, by the name that an option's value or an argument has in its declaration. */
export type ValueCompleter = (kind: string) => Promise<Completions>;

type ValueSource = (context: Context) => Promise<Completions>;

const files: ValueSource = async () => ({ candidates: [], paths: "files" });
const folders: ValueSource = async () => ({ candidates: [], paths: "folders" });

const contracts: ValueSource = async () => ({
  candidates: ["live", "pinned", "bundled"].map((value) => ({ value, description: "" })),
  paths: "files",
});

const fromList =
  (candidates: (context: Context) => Promise<Candidate[]>): ValueSource =>
  async (context) => ({ candidates: await candidates(context) });

/** Only what lies on this machine: completion asks no service. */
export const VALUE_SOURCES: Readonly<Record<string, ValueSource>> = {
  alias: fromList(async () =>
    BROKER_ALIASES.map(({ path, canonicalPath }) => ({ value: path, description: canonicalPath })),
  ),
  case: fromList(async () => listCaseIds().map((value) => ({ value, description: getCase(value).sends }))),
  command: files,
  dir: folders,
  event: fromList(async () => EVENT_TYPES.map((value) => ({ value, description: "" }))),
  file: files,
  from: contracts,
  job: fromList(jobs),
  jobs: fromList(jobs),
  method: fromList(async () => METHODS.map((value) => ({ value, description: "" }))),
  operation: fromList(operations),
  plan: fromList(async () => Object.keys(RETRY_SCHEDULES).map((value) => ({ value, description: "" }))),
  preset: fromList(async () =>
    Object.entries(FAULT_PRESETS).map(([value, { summary }]) => ({ value, description: summary })),
  ),
  profile: fromList(profiles),
  sandbox: fromList(sandboxes),
  scenario: fromList(async () =>
    SCENARIO_NAMES.map((value) => ({ value, description: getScenario(value).what })),
  ),
  source: files,
  to: contracts,
  what: async () => ({
    candidates: [...GREASE_DIMENSIONS, "all"].map((value) => ({ value, description: "" })),
  }),
  when: async () => ({
    candidates: [
      { value: "next", description: "what is due next" },
      { value: "idle", description: "until nothing is due" },
    ],
  }),
};

/** Loaded for whoever asks for one: the table takes longer than all the rest. */
async function operations(): Promise<Candidate[]> {
  const { ALL_OPERATIONS } = await import("../../contract/operations.ts");
  return ALL_OPERATIONS.map(({ id, summary }) => ({ value: id, description: summary }));
}

/** More would be no choice any more. */
const MAX_JOBS = 30;

/** The latest jobs that were submitted from this machine. */
async function jobs(context: Context): Promise<Candidate[]> {
  const latest = toWriteRecords(await openWriteLog(context).read()).reverse();
  const ids = new Map<string, string>();
  for (const { jobId, file, seller, state } of latest) {
    // A shell takes a completed word as it is.
    if (jobId === null || ids.has(jobId) || !isPlainShellWord(jobId)) continue;
    ids.set(jobId, [state ?? "accepted", file, seller].filter(Boolean).join(", "));
    if (ids.size === MAX_JOBS) break;
  }
  return [...ids].map(([value, description]) => ({ value, description }));
}

async function profiles(context: Context): Promise<Candidate[]> {
  const { current, profiles: all } = await readConfig(context);
  return Object.entries(all).map(([value, { baseUrl }]) => ({
    value,
    description: value === current ? `${baseUrl} (current)` : baseUrl,
  }));
}

async function sandboxes(context: Context): Promise<Candidate[]> {
  const found = await readLocators(context);
  return found
    .filter((locator) => context.processes.statusOf(locator) !== "dead")
    .map(({ name, url }) => ({ value: name, description: url }));
}

/** Offers what is known on this machine. */
export const createValueCompleter =
  (context: Context): ValueCompleter =>
  async (kind) =>
    (await VALUE_SOURCES[kind]?.(context)) ?? { candidates: [] };
