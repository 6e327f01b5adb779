/** The situations in which a program is run, each against a fresh sandbox. */
export const SCENARIOS = {
  "submit.ordinary": "Everything works; the job completes at once.",
  "submit.open": "The job stays open until the program ends, or has polled for some seconds.",
  "submit.killed": "The program is killed after the response to the submission, and run again.",
  "submit.lost_answer": "The submission is carried out, but its response is lost.",
  "submit.reset": "The connection of the first submission is reset before it is carried out.",
  "submit.hang": "The first submission gets no response for some seconds; then its connection is reset.",
  "submit.timeout": "The first submission gets no response as long as the program waits.",
  "submit.half_body": "The first response to the submission ends in the middle.",
  "submit.server_error": "The first submissions get 503.",
  "submit.rate_limited": "The first submission gets 429 with Retry-After.",
  "job.partial": "The job ends partial; a resume completes it.",
  "job.failed": "The job ends failed, and a resume fails again.",
  "job.unknown_state": "The job passes through states that the interface does not name.",
  "reads.server_error": "Reads get 503 a few times.",
  "lists.pages": "Lists have several pages.",
  "results.unknown_fields": "Responses have fields that the interface does not name.",
  "results.contract": "The service publishes another contract after the first of report and dataset is read.",
  "contract.cutover":
    "The service publishes another contract, and the program runs again, with the file of the next day.",
} as const satisfies Record<string, string>;

export type ScenarioId = keyof typeof SCENARIOS;

/**
 * They last as long as the program waits for a response, which may be minutes, and so run only for a rule that `--only`
 * names.
 */
export const SLOW_SCENARIOS: readonly ScenarioId[] = ["submit.timeout"];
