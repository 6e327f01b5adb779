import type { Static } from "typebox";
import * as Type from "typebox";
import { each } from "../../domain/each.ts";
import { CHANGE_KINDS, MAX_LISTED_CHANGES } from "../../domain/scans/comparison.ts";
import { MAX_RUNNING_SCANS, SCAN_MODES, SCAN_STATES } from "../../domain/scans/states.ts";
import { assumed, documented, IN_ALIAS_MAP, rules, statedRules } from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

/** Jobs in one request; a request without jobIds scans all of them. */
const MAX_JOBS = 1_000;

const resourcesBasis = assumed("resources");
const assumedRule = assumed("rules");

export const scannedEntry = s.labelledObject(resourcesBasis, {
  classification: Type.String(),
  route: Type.String(),
  grade: s.grade(),
  ieepaDutyCents: s.cents(),
  interestCents: s.cents(),
  nextDeadline: s.nullable(s.date()),
});

export const scanChange = s.labelledObject(resourcesBasis, {
  entryNumber: Type.String(),
  changedFields: Type.Array(Type.String()),
  before: s.nullable(scannedEntry),
  after: s.nullable(scannedEntry),
});

const scanFields = {
  environment: s.environment(),
  mode: Type.Enum([...SCAN_MODES]),
  baselineScanId: s.nullable(s.uuid()),
  asOf: s.date(),
  jobCount: s.count(),
};

export const scan = s.labelledObject(resourcesBasis, {
  id: s.uuid(),
  state: Type.Enum([...SCAN_STATES]),
  ...scanFields,
  entryCount: s.nullable(s.count()),
  createdAt: s.dateTime(),
  startedAt: s.nullable(s.dateTime()),
  finishedAt: s.nullable(s.dateTime()),
  failure: s.nullable(s.labelledObject(resourcesBasis, { code: Type.String(), detail: Type.String() })),
  changes: s.nullable(
    s.labelledObject(resourcesBasis, {
      ...each(() => Type.Array(scanChange), "added", "removed", "changed", "aged"),
      truncated: Type.Boolean({
        description: `Whether a kind has more than the ${MAX_LISTED_CHANGES} listed`,
      }),
    }),
  ),
});

export const scanSummary = s.labelledObject(resourcesBasis, {
  scanId: s.uuid(),
  ...scanFields,
  currency: s.currency(),
  totals: s.labelledObject(resourcesBasis, {
    entries: s.count(),
    ...each(s.cents, "enteredValueCents", "ieepaDutyCents", "interestCents", "estimatedClaimCents"),
  }),
  byGrade: s.byGrade(
    resourcesBasis,
    s.labelledObject(resourcesBasis, { entries: s.count(), ieepaDutyCents: s.cents() }),
  ),
  nearestDeadline: s.nullable(s.date()),
  urgentEntryCount: s.count(),
  changes: s.nullable(
    s.labelledObject(resourcesBasis, each(s.count, "added", "removed", "changed", "aged", "unchanged")),
  ),
});

export type Scan = Static<typeof scan>;
export type ScanSummary = Static<typeof scanSummary>;

export const create = defineOperation({
  id: "scans.create",
  summary: "Scan the portfolio, in full or for changes since a baseline",
  method: "POST",
  path: "/v1/portfolio-scans",
  label: documented("alias.map"),
  methodLabel: assumed("aliases"),
  request: s.jsonBody(resourcesBasis, {
    mode: Type.Enum([...SCAN_MODES]),
    baselineScanId: Type.Optional(s.idReference("portfolio scan to compare with")),
    jobIds: Type.Optional(Type.Array(s.idReference("diligence job"), { minItems: 1, maxItems: MAX_JOBS })),
  }),
  response: {
    status: 202,
    label: resourcesBasis,
    schema: scan,
    headers: { Location: "The route of the scan", "Retry-After": "Seconds to wait before the first poll" },
  },
  problems: ["job_not_found", "job_not_completed", "scan_not_found", "scan_not_ready", "scan_failed"],
  behaviours: [
    ...rules(
      assumedRule,
      "The portfolio is the entries of the caller's completed diligence jobs, or of jobIds; where several jobs have an entry, the latest one counts.",
      "A delta has a baseline, a completed scan of the caller; a full scan has none.",
    ),
    ...rules(assumed("limits"), `At most ${MAX_RUNNING_SCANS} scans run at once; the others stay queued.`),
    ...statedRules("alias.delta"),
    ...rules(assumed("aliases"), "A delta-scan alias implies mode delta: its payload has no mode."),
    ...rules(
      assumedRule,
      "202 means queued, not complete.",
      "A scan whose totals exceed 2^53 - 1 cents fails with the code AMOUNT_OVERFLOW.",
    ),
  ],
});

export const get = defineOperation({
  id: "scans.get",
  summary: "Read a portfolio scan and the changes of a delta",
  method: "GET",
  path: "/v1/portfolio-scans/{scanId}",
  ...IN_ALIAS_MAP,
  response: { status: 200, label: resourcesBasis, schema: scan },
  problems: ["scan_not_found"],
  behaviours: [
    ...rules(resourcesBasis, "Scans belong to the partner and the credential's environment."),
    ...rules(
      assumedRule,
      `A delta lists the entries that were ${CHANGE_KINDS.join(", ")}, the first ${MAX_LISTED_CHANGES} of each kind; an aged entry has the same data, and another classification or deadline because days passed.`,
    ),
  ],
});

export const summary = defineOperation({
  id: "scans.summary",
  summary: "Read the totals of a portfolio scan",
  method: "GET",
  path: "/v1/portfolio-scans/{scanId}/summary",
  label: documented("alias.map"),
  methodLabel: assumed("aliases"),
  response: { status: 200, label: resourcesBasis, schema: scanSummary },
  problems: ["scan_not_found", "scan_not_ready", "scan_failed"],
  behaviours: rules(
    assumedRule,
    "The response is 409 scan_not_ready before the scan has ended, and 409 scan_failed after it failed.",
  ),
});
