import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { StreamingResponse } from "../../../client/http/response.ts";
import { readJobFields } from "../../../client/wait.ts";
import { ClaimsError, rejectedError, verificationError } from "../../../domain/errors.ts";
import { parseJsonResponse, unexpectedResponseError } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { Document } from "../../documents/index.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { cannotWriteError, describeFileError } from "../../files/file-errors.ts";
import { createFolder } from "../../files/folders.ts";
import { printMessage } from "../../output/stderr.ts";
import { readFormat, requireForm } from "./dataset/complete.ts";
import { openDataset } from "./dataset/dataset.ts";
import type { JobView, ReportResponse } from "./job.ts";

const MANIFEST_NAME = "manifest.json";

type Manifest = Document<"PullManifest">;

/** What a pull was made of. A resume changes `runCount` and `finishedAt`, if the service sends them. */
type PullSource = Omit<Manifest, "contractVersion" | "pulledAt" | "files">;

interface PullRequest {
  readonly job: JobView;
  readonly report: ReportResponse;
  readonly folder: string;
  /** Jobs whose files in the folder this job may replace. */
  readonly supersededIds?: readonly string[];
}

/** The manifest comes last. @throws ClaimsError `wrong_job` for another's folder or another's results, `contract_changed` */
export async function pullJob(
  context: Context,
  service: Service,
  { job, report, folder, supersededIds = [] }: PullRequest,
): Promise<Manifest> {
  const { baseUrl } = service.connection;
  const { id } = job;
  const contract = await fetchContractHashes(context, service);
  const { runCount = null, finishedAt = null } = readJobFields(job.record);
  const source = { jobId: id, baseUrl, contractHash: contract.canonical, runCount, finishedAt };
  const saved = await readManifest(folder);
  if (saved !== null) requireSameJob(folder, saved, source, supersededIds);
  if (saved !== null && (await isCurrent(folder, saved, source, report.body))) return saved;
  const response = await openDataset(service, id, "json", (document) => replaceSaved(document));
  const { headers } = response;
  const ofReport = readVersions(report.record, report.headers);
  const compareVersions = (dataset: unknown) =>
    requireOneVersion(id, contract, ofReport, readVersions(dataset, headers));
  // The headers come before a body that may be large.
  let versions = compareVersions(null);

  const isNew = !(await stat(folder).catch(() => null));
  await createFolder(folder).catch((cause: unknown) => {
    throw cannotWriteError(`cannot create the folder ${folder}: ${describeFileError(cause)}`, {
      hint: "name another folder with -d",
      cause,
    });
  });
  const replaceSaved = async (dataset: unknown) => {
    if (dataset === undefined && /^text\/html/i.test(headers["content-type"] ?? ""))
      throw unexpectedResponseError(`the dataset of job ${id} is a web page`);
    versions = compareVersions(dataset);
    await rm(join(folder, MANIFEST_NAME), { force: true });
    for (const file of saved?.files ?? []) await rm(join(folder, basename(file.name)), { force: true });
  };
  try {
    const format = readFormat(headers);
    const isOther = format === "json" && !headers["content-type"]?.includes("json");
    const content = isOther ? response.body : requireForm(response, format);
    const dataset = await saveFile(folder, `dataset.${format}`, content, context.signal);
    const files = [await saveFile(folder, "report.json", [report.body], context.signal), dataset];
    const pulledAt = new Date(context.now()).toISOString();
    const manifest = { ...source, contractVersion: versions.version, pulledAt, files };
    await writeFileAtomically(join(folder, MANIFEST_NAME), [`${JSON.stringify(manifest, null, 2)}\n`]);
    if (versions.warning) warnOnce(context, service, versions.warning);
    return manifest;
  } catch (error) {
    if (isNew) await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
}

/** The warnings that are printed about a service: a batch pulls many jobs. */
const warnings = new WeakMap<Service, Set<string>>();

function warnOnce(context: Context, service: Service, message: string): void {
  const printed = warnings.get(service) ?? new Set();
  warnings.set(service, printed);
  if (!printed.has(message)) printMessage(context, `warning: ${message}`);
  printed.add(message);
}

/** Null without a manifest, and for a broken one. */
async function readManifest(folder: string): Promise<Manifest | null> {
  try {
    return JSON.parse(await readFile(join(folder, MANIFEST_NAME), "utf8")) as Manifest;
  } catch {
    return null;
  }
}

function requireSameJob(
  folder: string,
  saved: Partial<Manifest>,
  { baseUrl, jobId }: PullSource,
  supersededIds: readonly string[],
): void {
  const { jobId: savedId } = saved;
  const isKnown = [jobId, ...supersededIds].some((id) => id === savedId);
  if (isKnown && saved.baseUrl === baseUrl) return;
  const owner =
    typeof savedId === "string" ? `the files of job ${savedId} of ${saved.baseUrl}` : "another manifest.json";
  throw rejectedError("wrong_job", `${folder} has ${owner}; nothing was replaced`, {
    jobId,
    hint: "name another folder, or remove this one",
  });
}

async function isCurrent(
  folder: string,
  { pulledAt: _, contractVersion: __, files, ...saved }: Manifest,
  source: PullSource,
  report: Uint8Array,
): Promise<boolean> {
  if (!isDeepStrictEqual(saved, source)) return false;
  try {
    for (const { name, sha256 } of files)
      if ((await hashOf(createReadStream(join(folder, name)))) !== sha256) return false;
    return files[0]?.sha256 === (await hashOf([report]));
  } catch {
    // A file is missing.
    return false;
  }
}

async function hashOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}

/** The route is documented (interface §4), and its form is not: a page for people is no reason to save nothing. */
async function fetchContractHashes(context: Context, service: Service): Promise<ContractHashes> {
  const { client, operations } = service;
  try {
    const response = await client.send(operations.document.openapi);
    const canonical = hashDocument(service, parseJsonResponse(response, "the contract"));
    return { canonical, bytes: await hashOf([response.body]) };
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    const { code, kind, message, status } = error;
    const isMissing = kind === "not_found";
    const isUnreadable = isMissing || kind === "rejected" || status === 403 || code === "unexpected_response";
    if (!isUnreadable) throw error;
    const problem = `the contract of the service cannot be read (${message}); the manifest has no hash of it`;
    if (!isMissing) warnOnce(context, service, problem);
    return { canonical: null, bytes: null };
  }
}

/** RFC 8785 cannot represent every text. */
function hashDocument({ hashContract }: Service, document: unknown): string {
  try {
    return hashContract(document);
  } catch (cause) {
    throw unexpectedResponseError(`the contract cannot be hashed: ${(cause as Error).message}`);
  }
}

async function saveFile(
  folder: string,
  name: string,
  content: StreamingResponse["body"] | Iterable<Uint8Array>,
  signal: AbortSignal,
) {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* hashWhileReading(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  await writeFileAtomically(join(folder, name), hashWhileReading(), { signal });
  return { name, bytes, sha256: hash.digest("hex") };
}

/** Each contract version that a report or a dataset names, once. The names are assumed (interface §4). */
function readVersions(body: unknown, headers: Readonly<Record<string, string>>): readonly string[] {
  const fields = readJobFields(body);
  const header = headers["contract-version"]?.replace(/^(?:W\/)?"(.*)"$/, "$1");
  const named = [fields.contractVersion, fields.contract_version, header]
    .filter((value) => (typeof value === "string" && value !== "") || Number.isSafeInteger(value))
    .map((value) => (isHash(String(value)) ? String(value).toLowerCase() : String(value)));
  return [...new Set(named)];
}

/** Another form of a version, as in `1.4`, cannot be compared with the contract. */
const isHash = (version: string): boolean => /^[0-9a-f]{64}$/i.test(version);

/** Hashes of the contract that the service serves now. Null if it has none that can be read. */
interface ContractHashes {
  /** The hash of the contract in the form of RFC 8785. */
  readonly canonical: string | null;
  /** The hash of the bytes that the service sent. */
  readonly bytes: string | null;
}

/**
 * Report and dataset must be of the same contract version (interface §9.3). Returns it, null if neither names one, and a warning
 * if they cannot be compared.
 *
 * @throws ClaimsError `contract_changed`
 */
function requireOneVersion(
  jobId: string,
  { canonical, bytes }: ContractHashes,
  ofReport: readonly string[],
  ofDataset: readonly string[],
) {
  const changedError = (problem: string) =>
    verificationError("contract_changed", `${problem}; nothing was saved`, {
      jobId,
      hint: "pull again; if it fails again, ask the operator of the service",
    });
  const [version = null, ...others] = new Set([...ofReport, ...ofDataset]);
  if (others.length > 0) {
    const describe = (what: string, versions: readonly string[]) =>
      versions.length === 0 ? [] : `the ${what} has contract version ${versions.join(" and ")}`;
    throw changedError([describe("report", ofReport), describe("dataset", ofDataset)].flat().join(", "));
  }
  if (version !== null && canonical !== null && isHash(version) && ![canonical, bytes].includes(version))
    throw changedError(
      `report and dataset have contract version ${version}, and the contract that the service serves now hashes to ${canonical}`,
    );
  if (version === null) {
    const warning = "neither the report nor the dataset names a contract version; the manifest says null";
    return { version, warning };
  }
  if (ofReport.length > 0 && ofDataset.length > 0) return { version, warning: null };
  const what = ofReport.length === 0 ? "report" : "dataset";
  const warning = `the ${what} names no contract version, and was not compared with the other`;
  return { version, warning };
}
