import Type, { type Static } from "typebox";
import { JOB_STATES } from "../domain/diligence/states.ts";
import { assumed, documented, labelFields, withLabel } from "./labels.ts";
import { defineOperation } from "./operation.ts";
import { WRITE_PROBLEMS } from "./problems.ts";
import { cents, count, dateTime, environment, nullable, uuid } from "./schemas.ts";

const assumedField = assumed("diligenceFields");
const documentedReview = documented(
  "§1, §2 Diligence job: the report carries a review block named rf8Review",
);

const date = () => Type.String({ format: "date" });
const jobId = () => withLabel(assumed("diligence"), uuid());
const contractVersion = () =>
  Type.String({ pattern: "^[0-9a-f]{64}$", description: "The contract hash that this answer follows" });

const state = Type.Enum([...JOB_STATES], {
  description: "partial and failed are documented (§3); the other names are assumed",
});

export const job = Type.Object(
  labelFields(assumedField, {
    jobId: jobId(),
    state,
    environment: environment(),
    sellerName: Type.String(),
    requiresProtestDocumentation: Type.Boolean(),
    fileName: nullable(Type.String()),
    fileBytes: count(),
    asOf: date(),
    runCount: count(),
    createdAt: dateTime(),
    startedAt: nullable(dateTime()),
    finishedAt: nullable(dateTime()),
    progress: Type.Object(
      labelFields(assumedField, {
        rowsTotal: nullable(count()),
        rowsProcessed: count(),
        entriesAccepted: count(),
        entriesRejected: count(),
      }),
    ),
    failure: nullable(
      Type.Object(
        labelFields(assumedField, { code: Type.String(), detail: Type.String(), line: nullable(count()) }),
      ),
    ),
  }),
);

const groupTotals = Type.Object(
  labelFields(assumedField, { entries: count(), ieepaDutyCents: cents(), interestCents: cents() }),
);
const gradeTotals = Type.Object(labelFields(assumedField, { entries: count(), ieepaDutyCents: cents() }));

const rf8Review = Type.Object(
  labelFields(assumedField, {
    schemaVersion: Type.String(),
    sandboxModel: Type.Boolean({ description: "true: computed by the sandbox's own, illustrative model" }),
    asOf: date(),
    sellerName: Type.String(),
    requiresProtestDocumentation: Type.Boolean(),
    outcome: Type.Enum(["clear", "conditional", "declined"]),
    score: Type.Integer({ minimum: 0, maximum: 100 }),
    conditions: Type.Array(Type.String()),
    checks: Type.Array(
      Type.Object(
        labelFields(assumedField, {
          code: Type.String(),
          severity: Type.Enum(["blocker", "condition", "info"]),
          status: Type.Enum(["pass", "warn", "fail", "not_applicable"]),
          entryCount: count(),
          ieepaDutyCents: cents(),
        }),
      ),
    ),
    documentsRequested: Type.Array(Type.String()),
    nearestDeadline: nullable(date()),
    urgentEntryCount: count(),
  }),
);

export const report = Type.Object(
  labelFields(assumedField, {
    jobId: jobId(),
    contractVersion: contractVersion(),
    sellerName: Type.String(),
    requiresProtestDocumentation: Type.Boolean(),
    asOf: date(),
    layout: Type.Enum(["entry", "es003"]),
    complete: Type.Boolean(),
    totals: Type.Object(
      labelFields(assumedField, {
        entriesSubmitted: count(),
        entriesAccepted: count(),
        entriesRejected: count(),
        entriesDeferred: count(),
        enteredValueCents: cents(),
        ieepaDutyCents: cents(),
        interestCents: cents(),
        estimatedClaimCents: cents(),
      }),
    ),
    byRoute: Type.Record(Type.String(), groupTotals),
    byClassification: Type.Record(Type.String(), groupTotals),
    byGrade: Type.Object(
      labelFields(assumedField, {
        A: gradeTotals,
        B: gradeTotals,
        C: gradeTotals,
        D: gradeTotals,
        X: gradeTotals,
      }),
    ),
    fileWarnings: Type.Array(Type.String()),
    rejections: Type.Array(
      Type.Object(
        labelFields(assumedField, {
          line: count(),
          entryNumber: nullable(Type.String()),
          errors: Type.Array(
            Type.Object(
              labelFields(assumedField, {
                code: Type.String(),
                column: Type.String(),
                detail: Type.String(),
              }),
            ),
          ),
        }),
      ),
    ),
    rejectionsTruncated: Type.Boolean(),
    warnings: Type.Record(Type.String(), count()),
    rf8Review: withLabel(documentedReview, rf8Review),
  }),
);

const deadlines = Type.Object(
  labelFields(assumedField, {
    cape: nullable(date()),
    reliquidation: nullable(date()),
    protest: nullable(date()),
    summons: nullable(date()),
  }),
);

export const datasetRow = Type.Object(
  labelFields(assumedField, {
    line: Type.Integer({ minimum: 2, description: "Physical line of the file, header = 1" }),
    entryNumber: Type.String({ minLength: 11, maxLength: 11 }),
    entryTypeCode: Type.String(),
    importerNumber: Type.String(),
    importerName: nullable(Type.String()),
    portOfEntryCode: nullable(Type.String()),
    entryDate: date(),
    entrySummaryDate: nullable(date()),
    countryOfOriginCode: Type.String(),
    htsNumber: nullable(Type.String()),
    chapter99Numbers: Type.Array(Type.String()),
    enteredValueCents: cents(),
    baseDutyCents: cents(),
    ieepaDutyCents: cents(),
    otherChapter99DutyCents: cents(),
    interestCents: cents(),
    liquidationStatus: nullable(Type.String()),
    liquidationDate: nullable(date()),
    daysSinceLiquidation: nullable(Type.Integer()),
    classification: Type.String(),
    route: Type.String(),
    grade: Type.Enum(["A", "B", "C", "D", "X"]),
    deadlines,
    nextDeadline: nullable(date()),
    protestNumber: nullable(Type.String()),
    protestStatus: nullable(Type.String()),
    warnings: Type.Array(Type.String()),
    extra: Type.Record(Type.String(), Type.String()),
  }),
);

export const dataset = Type.Object(
  labelFields(assumedField, {
    jobId: jobId(),
    contractVersion: contractVersion(),
    rows: Type.Array(datasetRow),
  }),
);

/** Characters. */
export const MAX_SELLER_NAME_LENGTH = 200;

export const submission = Type.Object(
  labelFields(documented("§4 Diligence"), {
    seller_name: Type.String({ minLength: 1, maxLength: MAX_SELLER_NAME_LENGTH }),
    requires_protest_documentation: Type.Enum(["true", "false"], { description: "A boolean as text" }),
    file: Type.String({ contentMediaType: "text/csv", description: "A CSV of entries, part type text/csv" }),
  }),
);

export type Job = Static<typeof job>;
export type Report = Static<typeof report>;
export type DatasetRow = Static<typeof datasetRow>;

const acceptedResponse = {
  status: 202,
  schema: job,
  headers: { Location: "The status route of the job", "Retry-After": "Seconds until it is worth asking" },
} as const;

const PINNED_RULE =
  "Report and dataset consumers are pinned to the same job ID and the same contract version.";
const NOT_READY_RULE =
  "Before the job has ended the answer is 409 report_not_ready; of a failed job 409 job_failed.";

export const submit = defineOperation({
  id: "diligence.submit",
  summary: "Submit a CSV of entries for diligence",
  method: "POST",
  path: "/v1/diligence/submit",
  legacyPath: "/api/diligence/submit",
  label: documented("§4 Diligence"),
  auth: "credential",
  request: { kind: "multipart", schema: submission },
  response: {
    ...acceptedResponse,
    statusLabel: documented("§3, §4, §7"),
    label: documented("§4: Returns 202 Accepted with the job ID; §7"),
  },
  problems: [
    ...WRITE_PROBLEMS,
    "file_empty",
    "body_too_large",
    "unsupported_media_type",
    "insufficient_storage",
  ],
  behaviours: [
    { rule: "202 means queued, not complete.", ...documented("§3") },
    { rule: "The legacy path also accepts X-API-Key.", ...documented("§4, §5.2") },
    {
      rule: `seller_name has 1 to ${MAX_SELLER_NAME_LENGTH} characters and is not blank.`,
      ...assumed("limits"),
    },
    { rule: "What is inside the CSV is checked by the job, not at submission.", ...assumed("errors") },
    {
      rule: "A Content-Transfer-Encoding of base64 or quoted-printable is decoded, 7bit, 8bit and binary mean the bytes as they are, and any other is refused with 400 (RFC 2045 §6).",
      ...assumed("errors"),
    },
    { rule: "Idempotency-Key makes a repeat answer with the stored 202.", ...assumed("errors") },
  ],
});

export const status = defineOperation({
  id: "diligence.status",
  summary: "Read a diligence job",
  method: "GET",
  path: "/v1/diligence/status/{jobId}",
  legacyPath: "/api/diligence/status/{jobId}",
  label: documented("§4 Diligence"),
  auth: "credential",
  response: { status: 200, label: documented("§4: Returns the job record"), schema: job },
  problems: ["job_not_found"],
  behaviours: [
    { rule: "The states partial and failed exist.", ...documented("§3") },
    { rule: `States: ${JOB_STATES.join(", ")}.`, ...assumed("states") },
    { rule: "The legacy path also accepts X-API-Key.", ...documented("§4, §5.2") },
  ],
});

export const reportOperation = defineOperation({
  id: "diligence.report",
  summary: "Read the report of a completed or partial job",
  method: "GET",
  path: "/v1/diligence/report/{jobId}",
  legacyPath: "/api/diligence/report/{jobId}",
  label: documented("§4 Diligence"),
  auth: "credential",
  response: {
    status: 200,
    label: documented("§4: Returns the report including rf8Review"),
    schema: report,
  },
  problems: ["job_not_found", "report_not_ready", "job_failed"],
  behaviours: [
    { rule: PINNED_RULE, ...documented("§9.3") },
    { rule: NOT_READY_RULE, ...assumed("errors") },
    { rule: "The legacy path also accepts X-API-Key.", ...documented("§5.2") },
  ],
});

export const datasetOperation = defineOperation({
  id: "diligence.dataset",
  summary: "Read the dataset of a completed or partial job",
  method: "GET",
  path: "/v1/diligence/dataset/{jobId}",
  legacyPath: "/api/diligence/dataset/{jobId}",
  label: documented("§4 Diligence"),
  auth: "credential",
  response: {
    status: 200,
    label: documented("§4: Returns the dataset"),
    schema: dataset,
    alsoAs: ["text/csv", "application/x-ndjson"],
    headers: {
      "Contract-Version": "The contract hash, the same in every representation",
      Vary: "Accept",
    },
  },
  problems: ["job_not_found", "report_not_ready", "job_failed", "not_acceptable"],
  behaviours: [
    { rule: PINNED_RULE, ...documented("§9.3") },
    { rule: NOT_READY_RULE, ...assumed("errors") },
    { rule: "Accept chooses JSON, CSV or NDJSON.", ...assumed("diligenceFields") },
    { rule: "The legacy path also accepts X-API-Key.", ...documented("§5.2") },
  ],
});

export const resume = defineOperation({
  id: "diligence.resume",
  summary: "Resume a partial or failed job",
  method: "POST",
  path: "/v1/diligence/jobs/{jobId}/resume",
  legacyPath: "/api/diligence/jobs/{jobId}/resume",
  label: documented("§4 Diligence"),
  auth: "credential",
  response: { ...acceptedResponse, label: assumed("states") },
  problems: [
    ...WRITE_PROBLEMS,
    "job_not_found",
    "job_not_resumable",
    "body_too_large",
    "unsupported_media_type",
  ],
  behaviours: [
    { rule: "Only for partial or failed jobs; there is no body.", ...documented("§3, §4") },
    { rule: "The state after resume is queued; a repeat counts nothing twice.", ...assumed("states") },
    { rule: "The legacy path also accepts X-API-Key.", ...documented("§5.2") },
  ],
});
