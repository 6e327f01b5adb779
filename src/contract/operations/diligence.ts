import type { Static } from "typebox";
import * as Type from "typebox";
import { DATASET_FIELDS } from "../../domain/diligence/dataset.ts";
import { MAX_SELLER_NAME_LENGTH } from "../../domain/diligence/seller-matcher.ts";
import { JOB_STATES } from "../../domain/diligence/states.ts";
import { each } from "../../domain/each.ts";
import { assumed, documented, documentedFields, rules, statedRules, withLabel } from "../labels.ts";
import * as s from "../schemas.ts";
import { defineOperation } from "./operation.ts";

const resourcesBasis = assumed("diligenceFields");

const jobId = () => withLabel(assumed("diligence"), s.uuid());
const contractVersion = () =>
  Type.String({ pattern: "^[0-9a-f]{64}$", description: "The contract hash of this response" });

const state = Type.Enum([...JOB_STATES], {
  description: "partial and failed are documented (§3); the other names are assumed",
});

export const job = s.labelledObject(resourcesBasis, {
  jobId: jobId(),
  state,
  environment: s.environment(),
  sellerName: Type.String(),
  requiresProtestDocumentation: Type.Boolean(),
  fileName: s.nullable(Type.String()),
  fileBytes: s.count(),
  asOf: s.date(),
  runCount: s.count(),
  createdAt: s.dateTime(),
  startedAt: s.nullable(s.dateTime()),
  finishedAt: s.nullable(s.dateTime()),
  progress: s.labelledObject(resourcesBasis, {
    rowsTotal: s.nullable(s.count()),
    ...each(s.count, "rowsProcessed", "entriesAccepted", "entriesRejected"),
  }),
  failure: s.nullable(
    s.labelledObject(resourcesBasis, {
      code: Type.String(),
      detail: Type.String(),
      line: s.nullable(s.count()),
    }),
  ),
});

const groupTotals = s.labelledObject(resourcesBasis, {
  entries: s.count(),
  ieepaDutyCents: s.cents(),
  interestCents: s.cents(),
});

const rf8Review = s.labelledObject(resourcesBasis, {
  schemaVersion: Type.String(),
  sandboxModel: Type.Boolean({ description: "true: computed by the sandbox's own, illustrative model" }),
  asOf: s.date(),
  sellerName: Type.String(),
  requiresProtestDocumentation: Type.Boolean(),
  outcome: Type.Enum(["clear", "conditional", "declined"]),
  score: Type.Integer({ minimum: 0, maximum: 100 }),
  conditions: Type.Array(Type.String()),
  checks: Type.Array(
    s.labelledObject(resourcesBasis, {
      code: Type.String(),
      severity: Type.Enum(["blocker", "condition", "info"]),
      status: Type.Enum(["pass", "warn", "fail", "not_applicable"]),
      entryCount: s.count(),
      ieepaDutyCents: s.cents(),
    }),
  ),
  documentsRequested: Type.Array(Type.String()),
  nearestDeadline: s.nullable(s.date()),
  urgentEntryCount: s.count(),
});

export const report = s.labelledObject(resourcesBasis, {
  jobId: jobId(),
  contractVersion: contractVersion(),
  sellerName: Type.String(),
  requiresProtestDocumentation: Type.Boolean(),
  asOf: s.date(),
  layout: Type.Enum(["entry", "es003"]),
  complete: Type.Boolean(),
  totals: s.labelledObject(resourcesBasis, {
    ...each(s.count, "entriesSubmitted", "entriesAccepted", "entriesRejected", "entriesDeferred"),
    ...each(s.cents, "enteredValueCents", "ieepaDutyCents", "interestCents", "estimatedClaimCents"),
  }),
  byRoute: s.mapOf(groupTotals),
  byClassification: s.mapOf(groupTotals),
  byGrade: s.byGrade(
    resourcesBasis,
    s.labelledObject(resourcesBasis, { entries: s.count(), ieepaDutyCents: s.cents() }),
  ),
  fileWarnings: Type.Array(
    s.labelledObject(resourcesBasis, {
      code: Type.String(),
      severity: Type.Enum(["stop", "warn"]),
      detail: Type.String(),
      columns: Type.Optional(Type.Array(Type.String())),
      similar: Type.Optional(
        Type.Array(s.labelledObject(resourcesBasis, { heading: Type.String(), closest: Type.String() }), {
          description: "Headings of `columns` that are close to one that the file lacks",
        }),
      ),
      important: Type.Optional(
        Type.Array(Type.String(), { description: "Headings of `columns` whose cells may decide a route" }),
      ),
      rows: Type.Optional(s.count()),
      entries: Type.Optional(s.count()),
      lines: Type.Optional(Type.Array(s.count(), { description: "Where the first rows begin" })),
    }),
  ),
  rejections: Type.Array(
    s.labelledObject(resourcesBasis, {
      line: s.count(),
      entryNumber: s.nullable(Type.String()),
      errors: Type.Array(
        s.labelledObject(resourcesBasis, {
          code: Type.String(),
          line: Type.Integer({ minimum: 2, description: "Physical line of the row that caused it" }),
          column: Type.String({ description: "Heading of the file" }),
          detail: Type.String(),
        }),
        { description: "By line, at most 100" },
      ),
    }),
  ),
  rejectionsTruncated: Type.Boolean(),
  warnings: s.mapOf(s.count()),
  rf8Review: withLabel(documented("rf8Review"), rf8Review),
});

const deadlines = s.labelledObject(
  resourcesBasis,
  each(() => s.nullable(s.date()), "cape", "reliquidation", "protest", "summons"),
);

const KINDS = {
  line: Type.Integer({ minimum: 2, description: "Physical line of the file, header = 1" }),
  entryNumber: Type.String({ minLength: 11, maxLength: 11 }),
  text: Type.String(),
  "text?": s.nullable(Type.String()),
  texts: Type.Array(Type.String()),
  textByName: s.mapOf(Type.String()),
  day: s.date(),
  "day?": s.nullable(s.date()),
  cents: s.cents(),
  "integer?": s.nullable(Type.Integer()),
  "liquidationStatus?": s.nullable(Type.String()),
  "protestStatus?": s.nullable(Type.String()),
  classification: Type.String(),
  route: Type.String(),
  grade: s.grade(),
  deadlines,
  warnings: Type.Array(Type.String()),
};

type DatasetSchemas = {
  [Field in keyof typeof DATASET_FIELDS]: (typeof KINDS)[(typeof DATASET_FIELDS)[Field]];
};

export const datasetRow = s.labelledObject(
  resourcesBasis,
  Object.fromEntries(
    Object.entries(DATASET_FIELDS).map(([field, kind]) => [field, KINDS[kind]]),
  ) as DatasetSchemas,
);

export const dataset = s.labelledObject(resourcesBasis, {
  jobId: jobId(),
  contractVersion: contractVersion(),
  rows: Type.Array(datasetRow),
});

export const submission = s.labelledObject(documentedFields("submit"), {
  seller_name: Type.String({ minLength: 1, maxLength: MAX_SELLER_NAME_LENGTH }),
  requires_protest_documentation: Type.Enum(["true", "false"], { description: "A boolean as text" }),
  file: Type.String({
    format: "binary",
    contentMediaType: "text/csv",
    description: "A CSV of entries, part type text/csv",
  }),
});

export type Job = Static<typeof job>;
export type Report = Static<typeof report>;
export type DatasetRow = Static<typeof datasetRow>;

const acceptedResponse = {
  status: 202,
  schema: job,
  headers: {
    Location: "The status route of the job",
    "Retry-After": "Seconds to wait before the first poll",
  },
} as const;

const resultBehaviours = [
  ...statedRules("results.pinned"),
  ...rules(
    assumed("errors"),
    "The response is 409 report_not_ready before the job has ended, and 409 job_failed after it failed.",
  ),
];

export const submit = defineOperation({
  id: "diligence.submit",
  summary: "Submit a CSV of entries for diligence",
  method: "POST",
  path: "/v1/diligence/submit",
  legacyPath: "/api/diligence/submit",
  label: documented("submit"),
  request: { kind: "multipart", schema: submission },
  response: {
    ...acceptedResponse,
    followedBy: ["diligence.status", "diligence.report", "diligence.dataset", "diligence.resume"],
    statusLabel: documented("successes"),
    label: documented("submit"),
  },
  problems: ["file_empty", "insufficient_storage"],
  behaviours: [
    ...statedRules("submit.queued", "job.results"),
    ...statedRules("apiKey"),
    ...rules(
      assumed("submit.requires_protest_documentation"),
      "requires_protest_documentation is true or false, in lower case.",
    ),
    ...rules(assumed("limits"), "seller_name is not blank."),
    ...rules(
      assumed("errors"),
      "The job checks the content of the CSV, not the submission.",
      "A part with a Content-Transfer-Encoding other than 7bit, 8bit or binary is refused with 400 (RFC 7578 §4.7).",
      "A repeat with the same Idempotency-Key gets the stored 202.",
    ),
  ],
});

export const status = defineOperation({
  id: "diligence.status",
  summary: "Read a diligence job",
  method: "GET",
  path: "/v1/diligence/status/{jobId}",
  legacyPath: "/api/diligence/status/{jobId}",
  label: documented("diligence.status"),
  response: { status: 200, label: documented("diligence.status"), schema: job },
  problems: ["job_not_found"],
  behaviours: [
    ...statedRules("job.states"),
    ...rules(assumed("states"), `States: ${JOB_STATES.join(", ")}.`),
    ...statedRules("apiKey"),
  ],
});

export const reportOperation = defineOperation({
  id: "diligence.report",
  summary: "Read the report of a completed or partial job",
  method: "GET",
  path: "/v1/diligence/report/{jobId}",
  legacyPath: "/api/diligence/report/{jobId}",
  label: documented("diligence.report"),
  response: { status: 200, label: documented("diligence.report"), schema: report },
  problems: ["job_not_found", "report_not_ready", "job_failed"],
  behaviours: [...resultBehaviours, ...statedRules("apiKey")],
});

export const datasetOperation = defineOperation({
  id: "diligence.dataset",
  summary: "Read the dataset of a completed or partial job",
  method: "GET",
  path: "/v1/diligence/dataset/{jobId}",
  legacyPath: "/api/diligence/dataset/{jobId}",
  label: documented("diligence.dataset"),
  response: {
    status: 200,
    label: documented("diligence.dataset"),
    schema: dataset,
    alternativeTypes: ["text/csv", "application/x-ndjson"],
    headers: { "Contract-Version": "The contract hash, the same in every representation", Vary: "Accept" },
  },
  problems: ["job_not_found", "report_not_ready", "job_failed", "not_acceptable"],
  behaviours: [
    ...resultBehaviours,
    ...rules(assumed("diligenceFields"), "Accept chooses JSON, CSV or NDJSON."),
    ...statedRules("apiKey"),
  ],
});

export const resume = defineOperation({
  id: "diligence.resume",
  summary: "Resume a partial or failed job",
  method: "POST",
  path: "/v1/diligence/jobs/{jobId}/resume",
  legacyPath: "/api/diligence/jobs/{jobId}/resume",
  label: documented("resume"),
  response: { ...acceptedResponse, label: assumed("states") },
  problems: ["job_not_found", "job_not_resumable"],
  behaviours: [
    ...statedRules("resume"),
    ...rules(assumed("states"), "The state after resume is queued; a repeat counts nothing twice."),
    ...statedRules("apiKey"),
  ],
});
