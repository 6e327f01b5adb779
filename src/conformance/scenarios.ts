/**
 * How a correct program ends in a scenario. `results`: as where everything works, at the latest in its second run. `failure`:
 * with another code than 0. `any`: the scenario shows no end.
 */
export type ScenarioEnd = "results" | "failure" | "any";

const toResults = (text: string) => ({ text, end: "results" }) as const;
const toAnyEnd = (text: string) => ({ text, end: "any" }) as const;

/** The situations in which a program is run, each against a fresh sandbox. */
export const SCENARIOS = {
  "submit.ordinary": toResults("Everything works; the job completes at once."),
  "submit.open": toResults("The job stays open while the program polls it some times."),
  "submit.killed": toResults("The program is killed after the response to the submission, and run again."),
  "submit.lost_answer": toResults("The submission is carried out, but its response is lost."),
  "submit.reset": toResults("The connection of the first submission is reset before it is carried out."),
  "submit.hang": toResults("The first submission gets no response for some seconds, then a reset."),
  "submit.half_body": toResults("The first response to the submission ends in the middle."),
  "submit.server_error": toResults("The first submission gets 500."),
  "submit.rate_limited": toResults("The first submission gets 429 with Retry-After."),
  "job.partial": toAnyEnd("The job ends partial; a resume completes it."),
  "job.failed": { text: "The job ends failed, and a resume fails again.", end: "failure" },
  "job.unknown_state": toResults("The job passes through states that the interface does not name."),
  "reads.server_error": toResults("Each kind of read gets 503 until the program has paused."),
  "reads.rate_limited": toResults("The first read of a status and of a list get 429 with Retry-After."),
  "reads.reset": toResults("The connection of each kind of read is reset once."),
  "reads.half_body": toResults("The response to each kind of read ends in the middle once."),
  "lists.pages": toResults("Lists have several short pages, and cursors that need encoding."),
  "results.contract": toAnyEnd("The contract changes after the first of report and dataset is read."),
  "contract.cutover": toAnyEnd(
    "The contract changes between two runs, the second with the file of the next day.",
  ),
} as const satisfies Record<string, { readonly text: string; readonly end: ScenarioEnd }>;

export type ScenarioId = keyof typeof SCENARIOS;

/** The scenario in which everything works. It runs first, and shows how the program ends. */
export const PLAIN_SCENARIO: ScenarioId = "submit.ordinary";

/** The scenarios in which the program cannot know what became of its first submission. */
export const LOST_SUBMISSIONS: readonly ScenarioId[] = [
  "submit.lost_answer",
  "submit.reset",
  "submit.hang",
  "submit.half_body",
  "submit.server_error",
];
