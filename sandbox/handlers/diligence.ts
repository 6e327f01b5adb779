import type { CsvFormat } from "../../src/contract/mapping/mapping.ts";
import { datasetOperation, submission } from "../../src/contract/operations/diligence.ts";
import { OPERATIONS } from "../../src/contract/operations/operations.ts";
import type { FieldError } from "../../src/contract/problems.ts";
import { createCsvWriter, type DatasetRow, toDatasetRow } from "../../src/domain/diligence/dataset.ts";
import { createClassifier } from "../../src/domain/diligence/entry-classifier.ts";
import { MAX_SELLER_NAME_LENGTH } from "../../src/domain/diligence/seller-matcher.ts";
import { canResume } from "../../src/domain/diligence/states.ts";
import { rejectedError } from "../../src/domain/errors.ts";
import type { Engine } from "../engine/engine.ts";
import type { NewJobFile } from "../engine/jobs/jobs.ts";
import { toJob } from "../engine/jobs/to-job.ts";
import type { Caller } from "../store/credentials.ts";
import { readEntryPages } from "../store/entry-pages.ts";
import type { JobRow } from "../store/jobs.ts";
import { readReport } from "../store/reports.ts";
import { problemError, validationError } from "../wire/problem-error.ts";
import type { FilePart, HandlersOf, MultipartBody } from "./handler.ts";
import { requireJob } from "./require-record.ts";

/** Seconds (product.md §5). */
const POLL_AFTER = { "Retry-After": "1" };

export const diligence = {
  submit({ caller, body, legacy }, { jobs }) {
    return acceptedResponse(jobs.submit(caller, readSubmission(body)), legacy);
  },

  status({ caller, params: { jobId } }, { quiescence, store }) {
    return quiescence.runForSubject(jobId, () => ({ json: toJob(requireJob(store, caller, jobId)) }));
  },

  report({ caller, params: { jobId } }, engine) {
    return engine.quiescence.runForSubject(jobId, () => {
      const job = requireEndedJob(engine, caller, jobId);
      const report = readReport(engine.store, job.seq, job.state === "completed");
      const head = JSON.stringify({ jobId, contractVersion: engine.service.getContract().hash });
      return { text: `${head.slice(0, -1)},${report.slice(1)}` };
    });
  },

  dataset({ caller, params: { jobId }, accepts }, engine) {
    return engine.quiescence.runForSubject(jobId, () => {
      const job = requireEndedJob(engine, caller, jobId);
      const csv = engine.service.mapping?.["dataset.csv"];
      const type = csv ? "text/csv" : accepts(DATASET_TYPES);
      if (type === null)
        throw problemError("not_acceptable", `The dataset is available as ${DATASET_TYPES.join(", ")}.`);
      const { hash: contractVersion } = engine.service.getContract();
      const headers = { "Contract-Version": contractVersion };
      const pages = readDatasetPages(engine, job);
      if (type === "text/csv") return { stream: renderDatasetCsv(pages, csv), type, headers };
      return { list: { head: { jobId, contractVersion }, name: "rows", pages, type }, headers };
    });
  },

  resume({ caller, params: { jobId }, legacy }, { quiescence, store, jobs }) {
    return quiescence.runForSubject(jobId, () => {
      const { state } = requireJob(store, caller, jobId);
      if (canResume(state)) return acceptedResponse(jobs.resume(jobId), legacy);
      const detail = `The job is ${state}; you can resume only a partial or failed job.`;
      throw problemError("job_not_resumable", detail);
    });
  },
} satisfies HandlersOf<"diligence">;

/** 202 means queued (interface §3). The location has the surface of the request: X-API-Key works on one only (§5.2). */
function acceptedResponse(job: JobRow, legacy: boolean) {
  const { path, legacyPath } = OPERATIONS.diligence.status;
  const Location = (legacy ? legacyPath : path).replace("{jobId}", job.id);
  return { json: toJob(job), headers: { Location, ...POLL_AFTER } };
}

function requireEndedJob({ store }: Engine, caller: Caller, id: string): JobRow {
  const job = requireJob(store, caller, id);
  if (job.state === "completed" || job.state === "partial") return job;
  if (job.state === "failed") {
    const reason = job.failure ? ` (${job.failure.code})` : "";
    const detail = `The job failed${reason}; its status says why. There is no report and no dataset.`;
    throw problemError("job_failed", detail);
  }
  const detail = `The job is ${job.state}. Ask again when its state is completed or partial.`;
  throw problemError("report_not_ready", detail, { headers: POLL_AFTER });
}

/** The first type is the default. */
const DATASET_TYPES = ["application/json", ...datasetOperation.response.alternativeTypes] as const;

function* renderDatasetCsv(
  pages: Iterable<readonly DatasetRow[]>,
  { delimiter }: CsvFormat = {},
): Generator<string> {
  const { header, writeRow } = createCsvWriter(delimiter);
  yield header;
  for (const rows of pages) yield rows.map(writeRow).join("");
}

/** Reads the dataset page by page. @throws ClaimsError `sandbox_closed` if a reset removed entries: it looks complete */
function* readDatasetPages({ clockMover, store }: Engine, job: JobRow): Generator<DatasetRow[]> {
  const { resetCount } = clockMover;
  const includeDeferred = job.state === "completed";
  const classify = createClassifier(job.asOf);
  for (const entries of readEntryPages(store, job.seq, { includeDeferred })) {
    if (clockMover.resetCount !== resetCount) break;
    if (entries.length > 0) yield entries.map((entry) => toDatasetRow(classify(entry)));
  }
  if (clockMover.resetCount === resetCount) return;
  throw rejectedError("sandbox_closed", "the sandbox was reset while it sent a dataset", {
    hint: "submit the file again",
  });
}

/** Validates the form of a submission (product.md §5) and takes its file. One error names every invalid field. */
function readSubmission({ fields, files }: MultipartBody): NewJobFile {
  const errors: FieldError[] = [];
  const addError = (parameter: string, code: string, text: string) => {
    errors.push({ parameter, code, detail: `${parameter}: ${text}.` });
  };
  const readField = (name: string): string | null => {
    const [value, ...more] = fields.get(name) ?? [];
    if (value === undefined) addError(name, "required", "is missing");
    const isAlsoFile = value !== undefined && files.some(({ field }) => field === name);
    if (more.length > 0 || isAlsoFile) addError(name, "duplicate", "given more than once");
    return value ?? null;
  };
  const sellerName = readField("seller_name");
  if (sellerName?.trim() === "") addError("seller_name", "blank", "must not be blank");
  if ([...(sellerName ?? "")].length > MAX_SELLER_NAME_LENGTH)
    addError("seller_name", "too_long", `at most ${MAX_SELLER_NAME_LENGTH} characters`);
  const protestFlag = readField("requires_protest_documentation");
  if (protestFlag !== null && protestFlag !== "true" && protestFlag !== "false")
    addError("requires_protest_documentation", "not_boolean", "must be true or false, in lower case");
  const [file, ...moreFiles] = files.filter(({ field }) => field === "file");
  if (fields.has("file")) addError("file", "not_a_file", "must be a file part, not a text field");
  else if (!file) addError("file", "required", "is missing");
  if (moreFiles.length > 0) addError("file", "duplicate", "given more than once");
  else if (file && !file.upload) throw wrongFileType(file);
  for (const name of new Set([...fields.keys(), ...files.map(({ field }) => field)])) {
    if (!Object.hasOwn(submission.properties, name)) addError(name, "unknown_field", "unknown field");
  }
  if (errors.length > 0 || !file?.upload) throw validationError(errors);
  if (file.bytes === 0)
    throw problemError("file_empty", "The file has no bytes. Submit a CSV with a header and entries.");
  return {
    sellerName: sellerName ?? "",
    requiresProtestDocumentation: protestFlag === "true",
    fileName: file.name,
    fileBytes: file.bytes,
    upload: file.upload.take(),
  };
}

const wrongFileType = ({ type }: FilePart) =>
  problemError(
    "unsupported_media_type",
    `The file part is ${type}; it must be text/csv. With curl: -F 'file=@entries.csv;type=text/csv'`,
  );
