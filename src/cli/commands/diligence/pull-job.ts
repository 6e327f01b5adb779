import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { StreamingResponse } from "../../../client/http/response.ts";
import { readJobFields } from "../../../client/wait.ts";
import { ClaimsError, rejectedError, verificationError } from "../../../domain/errors.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { cannotWriteError, describeFileError } from "../../files/file-errors.ts";
import { createFolder } from "../../files/folders.ts";
import { openDataset } from "./dataset/entries.ts";
import type { JobResponse, JobView } from "./job.ts";

const MANIFEST_NAME = "manifest.json";
const REPORT_NAME = "report.json";

interface SavedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What a pull was made of. A resume changes `runCount` and `finishedAt`, if the service sends them. */
interface PullSource {
  readonly jobId: string;
  readonly baseUrl: string;
  readonly contractHash: string | null;
  readonly runCount: unknown;
  readonly finishedAt: unknown;
}

interface Manifest extends PullSource {
  readonly pulledAt: string;
  readonly files: readonly SavedFile[];
}

interface PullRequest {
  readonly job: JobView;
  readonly report: JobResponse;
  readonly folder: string;
  /** Jobs whose files in the folder this job may replace. */
  readonly supersededIds?: readonly string[];
}

/** The manifest comes last. @throws ClaimsError `wrong_job` for another's folder */
export async function pullJob(
  context: Context,
  service: Service,
  { job, report, folder, supersededIds = [] }: PullRequest,
): Promise<Manifest> {
  const { connection } = service;
  const { id } = job;
  const contractHash = await fetchContractHash(service);
  const { runCount = null, finishedAt = null } = readJobFields(job.record);
  const source: PullSource = { jobId: id, baseUrl: connection.baseUrl, contractHash, runCount, finishedAt };
  const saved = await readManifest(folder);
  requireSameJob(folder, saved, source, supersededIds);
  if (saved !== null && (await isCurrent(folder, saved, source, report.body))) return saved;
  const dataset = await openDataset(service, id, "json");
  // A service may have it in one format alone.
  const type = dataset.headers["content-type"] ?? "";
  const isCsv = /^text\/(csv|tab-separated-values)/.test(type);
  const name = isCsv ? "dataset.csv" : type.includes("ndjson") ? "dataset.ndjson" : "dataset.json";
  requireSameContract(id, contractHash, report.record, dataset.headers["contract-version"]);

  const isNew = !(await stat(folder).catch(() => null));
  await createFolder(folder).catch((cause: unknown) => {
    throw cannotWriteError(`cannot create the folder ${folder}: ${describeFileError(cause)}`, {
      hint: "name another folder with -d",
      cause,
    });
  });
  await rm(join(folder, MANIFEST_NAME), { force: true });
  for (const file of saved?.files ?? []) await rm(join(folder, basename(file.name)), { force: true });
  try {
    const files = [
      await saveFile(folder, REPORT_NAME, [report.body], context.signal),
      await saveFile(folder, name, dataset.body, context.signal),
    ];
    const pulledAt = new Date(context.now()).toISOString();
    const manifest = { ...source, pulledAt, files };
    await writeFileAtomically(join(folder, MANIFEST_NAME), [`${JSON.stringify(manifest, null, 2)}\n`]);
    return manifest;
  } catch (error) {
    if (isNew) await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
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
  saved: Partial<Manifest> | null,
  { baseUrl, jobId }: PullSource,
  supersededIds: readonly string[],
): void {
  if (saved === null) return;
  const { jobId: savedId } = saved;
  const isKnown = savedId === jobId || supersededIds.some((id) => id === savedId);
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
  { pulledAt: _, files, ...saved }: Manifest,
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

async function fetchContractHash({ client, operations, hashContract }: Service): Promise<string | null> {
  try {
    const response = await client.send(operations.document.openapi);
    return hashContract(parseJsonResponse(response, "the contract"));
  } catch (error) {
    if (error instanceof ClaimsError && error.kind === "not_found") return null;
    throw error;
  }
}

/** Report and dataset must be of the same job under the same contract (interface §9.3). */
function requireSameContract(
  id: string,
  contractHash: string | null,
  report: unknown,
  datasetVersion: string | undefined,
): void {
  const { jobId = id, contractVersion } = (report ?? {}) as { jobId?: unknown; contractVersion?: unknown };
  const versions = [contractVersion, datasetVersion].filter((version) => version !== undefined);
  const differs = contractHash !== null && versions.some((version) => version !== contractHash);
  if (jobId === id && !differs) return;
  const message =
    jobId === id
      ? `report and dataset do not follow the contract that the service serves now (${contractHash})`
      : `the report is that of job ${String(jobId)}`;
  throw verificationError("contract_changed", message, {
    hint: "pull again; if it fails again, ask which contract version the service follows",
  });
}

async function saveFile(
  folder: string,
  name: string,
  content: StreamingResponse["body"] | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<SavedFile> {
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
