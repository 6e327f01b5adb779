import { BROKER_ALIASES } from "../../contract/aliases.ts";
import { FAULT_PRESETS } from "../../contract/fault-presets.ts";
import { JOB_STATES } from "../../domain/diligence/states.ts";
import { SCENARIO_NAMES } from "../../domain/scenarios/scenario-names.ts";
import { getScenario } from "../../domain/scenarios/scenarios.ts";
import { EVENT_TYPES } from "../../domain/webhooks/event-types.ts";
import { METHODS } from "../framework/values.ts";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

export interface Completions {
  readonly candidates: readonly Candidate[];
  /** The shell itself completes names of files or folders. */
  readonly paths?: "files" | "folders";
}

const files: Completions = { candidates: [], paths: "files" };

export const listWords = (words: readonly string[]): Completions => ({
  candidates: words.map((value) => ({ value, description: "" })),
});

/** By the kind of value: the name of an argument, or of an option's value, in its declaration. */
export const COMPLETIONS: Readonly<Record<string, Completions>> = {
  alias: listWords(BROKER_ALIASES.map(({ path }) => path)),
  command: files,
  dir: { candidates: [], paths: "folders" },
  event: listWords(EVENT_TYPES),
  file: files,
  files,
  from: files,
  method: listWords(METHODS),
  preset: {
    candidates: Object.entries(FAULT_PRESETS).map(([value, { summary }]) => ({
      value,
      description: summary,
    })),
  },
  program: files,
  scenario: {
    candidates: SCENARIO_NAMES.map((value) => ({ value, description: getScenario(value).description })),
  },
  source: files,
  state: listWords(["accepted", "refused", "unknown", "forgotten", ...JOB_STATES]),
  to: files,
};
