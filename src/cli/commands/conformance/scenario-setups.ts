import type { FaultSpec, Sandbox, SandboxOptions } from "../../../../sandbox/index.ts";
import type { ScenarioId } from "../../../conformance/scenarios.ts";
import type { GreaseDimension } from "../../../contract/grease.ts";
import { ALL_OPERATIONS, OPERATIONS, type OperationId } from "../../../contract/operations/operations.ts";
import type { ScenarioName } from "../../../domain/scenarios/scenario-names.ts";

export interface ScenarioSetup {
  /** The entry file whose name the program gets. */
  readonly entries: ScenarioName;
  readonly faults?: readonly FaultSpec[];
  readonly options?: Pick<SandboxOptions, "jobSpeed">;
  readonly grease?: readonly GreaseDimension[];
  /** Prepares the state of the sandbox before the program runs; its requests are not in the log. */
  readonly prepare?: (sandbox: Sandbox) => Promise<void>;
  /** Holds the job open until the program has asked for it some times. */
  readonly holdsJob?: true;
  /** Kills the program after the response to its first submission, and runs it again. */
  readonly isKilled?: true;
  /** Runs the program again unless it has ended as where everything works. */
  readonly runsAgain?: true;
  /** Fails the reads of a status until the program has paused before some of them. */
  readonly failsUntilPause?: true;
  /** Publishes another contract: when a result has been read, or between two runs of the program. */
  readonly changesContract?: "at_first_result" | "between_runs";
}

const onSubmit = (fault: Omit<FaultSpec, "match">): ScenarioSetup => ({
  entries: "clean",
  faults: [{ match: { operation: "diligence.submit" }, ...fault }],
});

/** A submission whose outcome the program cannot know. */
const onUnknownSubmit = (fault: Omit<FaultSpec, "match">): ScenarioSetup => ({
  ...onSubmit(fault),
  runsAgain: true,
});

/** Each kind of read meets the fault once, however a program reads first. */
const onReads = (fault: Omit<FaultSpec, "match">, operations = READS): ScenarioSetup => ({
  entries: "clean",
  faults: operations.map((operation) => ({ match: { operation, method: "GET" }, times: 1, ...fault })),
});

const READS: readonly OperationId[] = ALL_OPERATIONS.flatMap(({ id, method }) =>
  method === "GET" && id !== "document.openapi" ? [id as OperationId] : [],
);

/** Jobs wait on the clock, which stands still. */
const heldJob = { entries: "clean", options: { jobSpeed: "real" }, holdsJob: true } as const;

/** A list of so many does not fit on one page. */
const CLIENT_COUNT = 45;

export const SCENARIO_SETUPS: Readonly<Record<ScenarioId, ScenarioSetup>> = {
  "submit.ordinary": { entries: "clean" },
  "submit.open": heldJob,
  "submit.killed": { ...heldJob, isKilled: true },
  "submit.lost_answer": onUnknownSubmit({ phase: "after", times: 1, then: { reset: true } }),
  "submit.reset": onUnknownSubmit({ times: 1, then: { reset: true } }),
  "submit.hang": onUnknownSubmit({ times: 1, then: { delay: "5s", reset: true } }),
  "submit.half_body": onUnknownSubmit({ phase: "after", times: 1, then: { truncate: true } }),
  "submit.server_error": onUnknownSubmit({ times: 1, then: { status: 500 } }),
  "submit.rate_limited": onSubmit({ times: 1, then: { status: 429, retryAfter: 1 } }),
  "job.partial": { entries: "partial" },
  "job.failed": { entries: "fails-always" },
  "job.unknown_state": { ...heldJob, grease: ["stateName"] },
  "reads.server_error": {
    ...onReads(
      { then: { status: 503 } },
      READS.filter((id) => id !== "diligence.status"),
    ),
    failsUntilPause: true,
  },
  "reads.rate_limited": onReads({ then: { status: 429, retryAfter: 1 } }, [
    "diligence.status",
    "clients.list",
  ]),
  "reads.reset": onReads({ then: { reset: true } }),
  "reads.half_body": onReads({ then: { truncate: true } }),
  "lists.pages": { entries: "clean", grease: ["paging"], prepare: createClients },
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
