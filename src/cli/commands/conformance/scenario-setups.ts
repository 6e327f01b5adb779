import type { FaultSpec, Sandbox, SandboxOptions } from "../../../../sandbox/index.ts";
import type { ScenarioId } from "../../../conformance/scenarios.ts";
import { OPERATIONS } from "../../../contract/operations.ts";
import type { ScenarioName } from "../../../domain/scenarios/scenarios.ts";

/** How a scenario is made. */
export interface ScenarioSetup {
  /** The entry file whose name the program gets. */
  readonly entries: ScenarioName;
  readonly faults?: readonly FaultSpec[];
  readonly options?: Pick<SandboxOptions, "jobSpeed" | "grease" | "setup">;
  /** Holds the job open until the program has asked for it some times. */
  readonly holdsJob?: true;
  /** Kills the program after the response to its first submission, and runs it again. */
  readonly kills?: true;
  /** Publishes another contract: when a result has been read, or between two runs of the program. */
  readonly changesContract?: "at_first_result" | "between_runs";
  /** Reads what the program has stored in the folder of its entry file. */
  readonly readsFiles?: true;
}

const onSubmit = (fault: Omit<FaultSpec, "match">): ScenarioSetup => ({
  entries: "clean",
  faults: [{ match: { operation: "diligence.submit" }, ...fault }],
});

/** Jobs wait on the clock, which stands still. */
const heldJob = { entries: "clean", options: { jobSpeed: "real" }, holdsJob: true } as const;

/** More than a page. */
const CLIENT_COUNT = 55;

export const SCENARIO_SETUPS: Readonly<Record<ScenarioId, ScenarioSetup>> = {
  "submit.ordinary": { entries: "clean" },
  "submit.open": heldJob,
  "submit.killed": { ...heldJob, kills: true },
  "submit.lost_answer": onSubmit({ phase: "after", times: 1, then: { reset: true } }),
  "submit.reset": onSubmit({ times: 1, then: { reset: true } }),
  "submit.hang": onSubmit({ times: 1, then: { delay: "5s", reset: true } }),
  "submit.timeout": onSubmit({ times: 1, then: { hang: true } }),
  "submit.half_body": onSubmit({ phase: "after", times: 1, then: { truncate: true } }),
  "submit.server_error": onSubmit({ times: 2, then: { status: 503 } }),
  "submit.rate_limited": onSubmit({ times: 1, then: { status: 429, retryAfter: 1 } }),
  "job.partial": { entries: "partial" },
  "job.failed": { entries: "fails-always" },
  "job.unknown_state": { ...heldJob, options: { ...heldJob.options, grease: ["stateName"] } },
  "reads.server_error": {
    entries: "clean",
    faults: [{ match: { method: "GET" }, times: 3, then: { status: 503 } }],
  },
  "lists.pages": { entries: "clean", options: { setup: createClients } },
  "results.unknown_fields": { entries: "clean", options: { grease: ["unknownFields"] }, readsFiles: true },
  "results.contract": { entries: "clean", changesContract: "at_first_result" },
  "contract.cutover": { entries: "clean", changesContract: "between_runs" },
};

async function createClients({ url, credentials }: Sandbox): Promise<void> {
  const { method, path } = OPERATIONS.clients.create;
  const headers = {
    authorization: `Bearer ${credentials.sandbox.apiKey}`,
    "content-type": "application/json",
  };
  for (let number = 1; number <= CLIENT_COUNT; number += 1) {
    const body = JSON.stringify({ name: `Importer ${number}` });
    const response = await fetch(url + path, { method, headers, body });
    if (!response.ok) throw new Error(`client ${number} of the scenario: ${response.status}`);
  }
}
