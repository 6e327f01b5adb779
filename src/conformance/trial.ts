import type { LoggedRequest } from "../../sandbox/api/requests.ts";
import type { ScenarioId } from "./scenarios.ts";

export type { LoggedRequest };

export interface ProgramRun {
  readonly exitCode: number | null;
  /** Whether the scenario ended it, or its time was over. */
  readonly endedBy: "itself" | "scenario" | "timeout";
  /** Standard output and standard error, redacted, the first 256 KiB. */
  readonly output: string;
  readonly requests: readonly LoggedRequest[];
  /** The jobs that were not in a final state when it ended. */
  readonly openJobs: readonly string[];
  readonly showsCredential: boolean;
}

/** How a program ends where everything works. */
export interface PlainEnd {
  readonly exitCode: number | null;
  readonly results: readonly string[];
  /** Whether it sends nothing that counts. */
  readonly isSilent: boolean;
}

export interface Trial {
  /** Null for traffic that no scenario made: `--passive`. */
  readonly scenario: ScenarioId | null;
  /** Those of all runs. */
  readonly requests: readonly LoggedRequest[];
  readonly runs: readonly ProgramRun[];
  /** Null for traffic that no scenario made. */
  readonly plain: PlainEnd | null;
}
