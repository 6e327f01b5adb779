import Type, { type Static } from "typebox";
import { CHANGE_KINDS, MAX_LISTED_CHANGES } from "../domain/scans/comparison.ts";
import { SCAN_MODES, SCAN_STATES } from "../domain/scans/states.ts";
import { assumed, documented, labelFields } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { cents, count, currency, dateTime, environment, idReference, nullable, uuid } from "./schemas.ts";

/** More are scanned by leaving jobIds out. */
const MAX_JOBS = 1_000;

const assumedField = assumed("resources");
const assumedRule = assumed("rules");

const date = () => Type.String({ format: "date" });

const entryState = Type.Object(
  labelFields(assumedField, {
    classification: Type.String(),
    route: Type.String(),
    grade: Type.Enum(["A", "B", "C", "D", "X"]),
    ieepaDutyCents: cents(),
    interestCents: cents(),
    nextDeadline: nullable(date()),
  }),
);

const change = Type.Object(
  labelFields(assumedField, {
    entryNumber: Type.String(),
    changedFields: Type.Array(Type.String()),
    before: nullable(entryState),
    after: nullable(entryState),
  }),
);

const changes = Type.Object(
  labelFields(assumedField, {
    ...{ added: Type.Array(change), removed: Type.Array(change) },
    ...{ changed: Type.Array(change), aged: Type.Array(change) },
    truncated: Type.Boolean({ description: `Whether a kind has more than the ${MAX_LISTED_CHANGES} named` }),
  }),
);

const scanFields = {
  environment: environment(),
  mode: Type.Enum([...SCAN_MODES]),
  baselineScanId: nullable(uuid()),
  asOf: date(),
  jobCount: count(),
};

export const scan = Type.Object(
  labelFields(assumedField, {
    id: uuid(),
    state: Type.Enum([...SCAN_STATES]),
    ...scanFields,
    entryCount: nullable(count()),
    createdAt: dateTime(),
    startedAt: nullable(dateTime()),
    finishedAt: nullable(dateTime()),
    failure: nullable(Type.Object(labelFields(assumedField, { code: Type.String(), detail: Type.String() }))),
    changes: nullable(changes),
  }),
);

const gradeTotals = Type.Object(labelFields(assumedField, { entries: count(), ieepaDutyCents: cents() }));

export const scanSummary = Type.Object(
  labelFields(assumedField, {
    scanId: uuid(),
    ...scanFields,
    currency: currency(),
    totals: Type.Object(
      labelFields(assumedField, {
        entries: count(),
        enteredValueCents: cents(),
        ieepaDutyCents: cents(),
        interestCents: cents(),
        estimatedClaimCents: cents(),
      }),
    ),
    byGrade: Type.Object(
      labelFields(assumedField, {
        A: gradeTotals,
        B: gradeTotals,
        C: gradeTotals,
        D: gradeTotals,
        X: gradeTotals,
      }),
    ),
    nearestDeadline: nullable(date()),
    urgentEntryCount: count(),
    changes: nullable(
      Type.Object(
        labelFields(assumedField, {
          added: count(),
          removed: count(),
          changed: count(),
          aged: count(),
          unchanged: count(),
        }),
      ),
    ),
  }),
);

export type Scan = Static<typeof scan>;
export type ScanSummary = Static<typeof scanSummary>;

export const create = defineOperation({
  id: "scans.create",
  summary: "Scan the portfolio, in full or for what is not as it was",
  method: "POST",
  path: "/v1/portfolio-scans",
  label: documented("§4 Broker alias map: family portfolio_scans"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      labelFields(assumedField, {
        mode: Type.Enum([...SCAN_MODES]),
        baselineScanId: Type.Optional(idReference("portfolio scan to compare with")),
        jobIds: Type.Optional(Type.Array(idReference("diligence job"), { minItems: 1, maxItems: MAX_JOBS })),
      }),
      { additionalProperties: false },
    ),
  },
  response: {
    status: 202,
    label: assumedField,
    schema: scan,
    headers: { Location: "Where the scan is read", "Retry-After": "Seconds until it is worth asking" },
  },
  problems: [
    ...WRITE_PROBLEMS,
    "job_not_found",
    "job_not_completed",
    "scan_not_found",
    "scan_not_ready",
    "scan_failed",
    "body_too_large",
    "unsupported_media_type",
  ],
  behaviours: [
    { rule: "The method is POST.", ...assumed("aliases") },
    {
      rule: "The portfolio is the entries of the caller's completed diligence jobs, or of jobIds; where several have an entry, the latest job counts.",
      ...assumedRule,
    },
    {
      rule: "A delta has a baseline, a completed scan of the caller's; a full scan has none.",
      ...assumedRule,
    },
    {
      rule: "Legacy delta-scan payloads are transformed into scan requests.",
      ...documented("§4 Broker alias map: /broker/v1/portfolio/delta-scan"),
    },
    { rule: "A delta-scan alias stands for mode delta: its payload has no mode.", ...assumed("aliases") },
    { rule: "202 means queued, not complete.", ...assumedRule },
    {
      rule: "A scan whose totals pass 2^53 - 1 cents has failed, with the code AMOUNT_OVERFLOW.",
      ...assumedRule,
    },
  ],
});

export const get = defineOperation({
  id: "scans.get",
  summary: "Read a portfolio scan, and what a delta found",
  method: "GET",
  path: "/v1/portfolio-scans/{scanId}",
  label: documented("§4 Broker alias map: scan detail"),
  auth: "credential",
  response: { status: 200, label: assumedField, schema: scan },
  problems: ["scan_not_found"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "Scans belong to the partner and the credential's environment.", ...assumedField },
    {
      rule: `A delta names what was ${CHANGE_KINDS.join(", ")}, the first ${MAX_LISTED_CHANGES} of each; aged is what has the same data, and another classification or deadline for the days that passed.`,
      ...assumedRule,
    },
  ],
});

export const summary = defineOperation({
  id: "scans.summary",
  summary: "Read the totals of a portfolio scan",
  method: "GET",
  path: "/v1/portfolio-scans/{scanId}/summary",
  label: documented("§4 Broker alias map: the canonical path"),
  auth: "credential",
  response: { status: 200, label: assumedField, schema: scanSummary },
  problems: ["scan_not_found", "scan_not_ready", "scan_failed"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "An alias takes scanId from the query.", ...assumed("aliases") },
    {
      rule: "Before the scan has ended the answer is 409 scan_not_ready, of a failed one 409 scan_failed.",
      ...assumedRule,
    },
  ],
});
