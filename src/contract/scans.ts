import Type, { type Static } from "typebox";
import { CHANGE_KINDS, MAX_LISTED_CHANGES } from "../domain/portfolio/changes.ts";
import { SCAN_MODES, SCAN_STATES } from "../domain/portfolio/states.ts";
import { assumed, documented, fields } from "./basis.ts";
import { operation } from "./operation.ts";
import { CREATES } from "./problem.ts";
import { anId, cents, count, currency, environment, instant, nullable, uuid } from "./schemas.ts";

/** More are scanned by leaving jobIds out. */
const MOST_JOBS = 1_000;

const ours = assumed("resources");
const rules = assumed("rules");

const date = () => Type.String({ format: "date" });

const standing = Type.Object(
  fields(ours, {
    classification: Type.String(),
    route: Type.String(),
    grade: Type.Enum(["A", "B", "C", "D", "X"]),
    ieepaDutyCents: cents(),
    interestCents: cents(),
    nextDeadline: nullable(date()),
  }),
);

const change = Type.Object(
  fields(ours, {
    entryNumber: Type.String(),
    changedFields: Type.Array(Type.String()),
    before: nullable(standing),
    after: nullable(standing),
  }),
);

const changes = Type.Object(
  fields(ours, {
    ...{ added: Type.Array(change), removed: Type.Array(change) },
    ...{ changed: Type.Array(change), aged: Type.Array(change) },
    truncated: Type.Boolean({ description: `Whether a kind has more than the ${MAX_LISTED_CHANGES} named` }),
  }),
);

const identity = {
  environment: environment(),
  mode: Type.Enum([...SCAN_MODES]),
  baselineScanId: nullable(uuid()),
  asOf: date(),
  jobCount: count(),
};

export const scan = Type.Object(
  fields(ours, {
    id: uuid(),
    state: Type.Enum([...SCAN_STATES]),
    ...identity,
    entryCount: nullable(count()),
    createdAt: instant(),
    startedAt: nullable(instant()),
    finishedAt: nullable(instant()),
    failure: nullable(Type.Object(fields(ours, { code: Type.String(), detail: Type.String() }))),
    changes: nullable(changes),
  }),
);

const graded = Type.Object(fields(ours, { entries: count(), ieepaDutyCents: cents() }));

export const scanSummary = Type.Object(
  fields(ours, {
    scanId: uuid(),
    ...identity,
    currency: currency(),
    totals: Type.Object(
      fields(ours, {
        entries: count(),
        enteredValueCents: cents(),
        ieepaDutyCents: cents(),
        interestCents: cents(),
        estimatedClaimCents: cents(),
      }),
    ),
    byGrade: Type.Object(fields(ours, { A: graded, B: graded, C: graded, D: graded, X: graded })),
    nearestDeadline: nullable(date()),
    urgentEntryCount: count(),
    changes: nullable(
      Type.Object(
        fields(ours, {
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

export const create = operation({
  id: "scans.create",
  summary: "Scan the portfolio, in full or for what is not as it was",
  method: "POST",
  path: "/v1/portfolio-scans",
  label: documented("§4 Broker alias map: family portfolio_scans"),
  auth: "credential",
  request: {
    kind: "json",
    schema: Type.Object(
      fields(ours, {
        mode: Type.Enum([...SCAN_MODES]),
        baselineScanId: Type.Optional(anId("portfolio scan to compare with")),
        jobIds: Type.Optional(Type.Array(anId("diligence job"), { minItems: 1, maxItems: MOST_JOBS })),
      }),
      { additionalProperties: false },
    ),
  },
  answer: {
    status: 202,
    label: ours,
    schema: scan,
    headers: { Location: "Where the scan is read", "Retry-After": "Seconds until it is worth asking" },
  },
  problems: [
    ...CREATES,
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
      ...rules,
    },
    { rule: "A delta has a baseline, a completed scan of the caller's; a full scan has none.", ...rules },
    {
      rule: "Legacy delta-scan payloads are transformed into scan requests.",
      ...documented("§4 Broker alias map: /broker/v1/portfolio/delta-scan"),
    },
    { rule: "A delta-scan alias stands for mode delta: its payload has no mode.", ...assumed("aliases") },
    { rule: "202 means queued, not complete.", ...rules },
    { rule: "A scan whose totals pass 2^53 - 1 cents has failed, with the code AMOUNT_OVERFLOW.", ...rules },
  ],
});

export const get = operation({
  id: "scans.get",
  summary: "Read a portfolio scan, and what a delta found",
  method: "GET",
  path: "/v1/portfolio-scans/{scanId}",
  label: documented("§4 Broker alias map: scan detail"),
  auth: "credential",
  answer: { status: 200, label: ours, schema: scan },
  problems: ["scan_not_found"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "Scans belong to the partner and the credential's environment.", ...ours },
    {
      rule: `A delta names what was ${CHANGE_KINDS.join(", ")}, the first ${MAX_LISTED_CHANGES} of each; aged is what has the same data, and another classification or deadline for the days that passed.`,
      ...rules,
    },
  ],
});

export const summary = operation({
  id: "scans.summary",
  summary: "Read the totals of a portfolio scan",
  method: "GET",
  path: "/v1/portfolio-scans/{scanId}/summary",
  label: documented("§4 Broker alias map: the canonical path"),
  auth: "credential",
  answer: { status: 200, label: ours, schema: scanSummary },
  problems: ["scan_not_found", "scan_not_ready", "scan_failed"],
  behaviours: [
    { rule: "The method is GET.", ...assumed("aliases") },
    { rule: "An alias takes scanId from the query.", ...assumed("aliases") },
    {
      rule: "Before the scan has ended the answer is 409 scan_not_ready, of a failed one 409 scan_failed.",
      ...rules,
    },
  ],
});
