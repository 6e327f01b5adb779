import type { ScenarioId } from "./scenarios.ts";

type HeaderPairs = readonly (readonly [name: string, value: string])[];

interface TrafficBody {
  readonly size: number | null;
  readonly text: string | null;
  readonly truncated: boolean;
  readonly fields: HeaderPairs | null;
}

/** The fields of a logged request (sandbox/api/requests.ts) that rules judge. */
export interface TrafficRequest {
  /** Counted from 1, in the order in which requests arrived. */
  readonly number: number;
  /** RFC 3339, of the sandbox clock. */
  readonly at: string;
  /** Wall time from the start of the sandbox to its arrival: the clock may be frozen. */
  readonly elapsedMs: number;
  readonly durationMs: number | null;
  readonly method: string;
  readonly target: string;
  readonly route: string | null;
  readonly operation: string | null;
  readonly alias: { readonly path: string; readonly canonicalPath: string } | null;
  readonly caller: { readonly partner: number; readonly environment: "sandbox" | "production" } | null;
  readonly credentials: readonly {
    readonly place: "authorization" | "x-api-key" | "path" | "query" | "body" | "header";
    readonly name: string | null;
    readonly environment: "sandbox" | "production" | null;
  }[];
  readonly requestHeaders: HeaderPairs;
  readonly requestBody: TrafficBody | null;
  readonly status: number | null;
  readonly responseHeaders: HeaderPairs;
  readonly responseBody: TrafficBody | null;
  readonly problem: {
    readonly code: string;
    readonly errors: readonly { readonly at: string | null; readonly code: string }[];
  } | null;
  readonly outcome: "answered" | "aborted" | "lost" | "running";
  readonly fault: string | null;
  readonly varied: readonly string[];
  readonly idempotentReplay: boolean;
}

/** A run of the program. */
export interface ProgramRun {
  /** Null for a run that a signal ended. */
  readonly exitCode: number | null;
  /** Whether the scenario ended it, or its time was over. */
  readonly endedBy: "itself" | "scenario" | "timeout";
  /** Standard output and standard error, redacted, the first 256 KiB. */
  readonly output: string;
  /** The number of the last request before it, and of its own last request. */
  readonly firstAfter: number;
  readonly last: number;
  /** The jobs that were not in a final state when it ended. */
  readonly openJobs: readonly string[];
  /** Whether it printed a credential. */
  readonly showsCredential: boolean;
}

/** How a program ends where everything works. */
export interface PlainEnd {
  readonly exitCode: number | null;
  /** The operations whose results it reads. */
  readonly results: readonly string[];
  /** Whether it sends nothing that counts. */
  readonly isSilent: boolean;
}

/** What a scenario has shown. */
export interface Trial {
  /** Null for traffic that no scenario made: `--passive` and `--requests`. */
  readonly scenario: ScenarioId | null;
  readonly requests: readonly TrafficRequest[];
  /** Empty for `--requests`. */
  readonly runs: readonly ProgramRun[];
  /** Null for traffic that no scenario made. */
  readonly plain: PlainEnd | null;
  /** Where a request with a credential arrived that is not the service, such as `GET /v1/clients`. */
  readonly strayCredentials: readonly string[];
}
