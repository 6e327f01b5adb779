import windows from "./diligence/windows.json" with { type: "json" };

/** The terms of the service's field and of this tool. What the interface does not show is the sandbox's own (assumed). */
export const GLOSSARY = {
  agenda: "the tasks that wait on the clock of a sandbox, with their due times",
  alias: "a path under /broker/ that forwards to a canonical path under /v1/ (interface §4)",
  asOf: "the date for which a file is assessed: the date of the submission (assumed)",
  assumed:
    "decided by the sandbox, because the interface does not show it; see `claims contract assumptions`",
  cape: "the route CAPE refund: CBP refunds the entry through its CAPE process (assumed)",
  cape_deferred:
    "the route CAPE refund, later: CAPE has to wait, as while the liquidation is suspended (assumed)",
  classification: "why an entry has its route and its grade, as in liquidated_within_80_days (assumed)",
  "contract hash": "the SHA-256 of the OpenAPI document in the form of RFC 8785; report and dataset name it",
  "control token": "the secret of the control API of one sandbox; it changes at each start",
  documented: "shown by the interface",
  "entry file": "the CSV of a submission: a row for each entry, or the ACE report ES-003",
  grade: "A, B, C, D or X: how likely an entry is refunded, from best to none (assumed)",
  grease: "variation of what is only assumed, so that no program relies on it (RFC 8701)",
  "idempotency key": "the id of a write; the service executes a write with the same key once (assumed)",
  IEEPA: "the law of the voided tariffs; the duty paid under it is what a claim asks back",
  lifecycle: "of an alias: long_term or migration_only (interface §4)",
  liquidation: "CBP's final computation of the duties of an entry; deadlines count from its date",
  litigation: "the route of an entry that only a court can refund (assumed)",
  manual_review: "the route Manual review: a person has to look at the entry (assumed)",
  "outcome unknown": "a write was sent, and no response says whether the service executed it",
  partial: "the state of a job that deferred some entries; a resume completes it (interface §3)",
  probe: "a series of signed and forged deliveries that tests a receiver",
  protest: "the route of an entry whose liquidation has to be protested (assumed)",
  rf8Review:
    "the block of a report that is the public source of truth for the outcome of a diligence job (interface §1); its fields are assumed",
  route:
    "how the duty of an entry can come back: cape, cape_deferred, protest, litigation, manual_review or none (assumed)",
  seed: "the number that decides ids, credentials and all randomness of a sandbox",
  sink: "a receiver that is built into the sandbox and keeps what it receives",
  snapshot: "the saved state of a sandbox; it contains its secrets",
  sunset: "the date after which you no longer use an alias; you set it with `claims aliases sunset`",
  urgent: `of an entry: the next deadline of its route is within ${windows.urgentDays} days (assumed)`,
  "write log": "the record of every write of this machine, before it is sent and after its response",
} as const;
