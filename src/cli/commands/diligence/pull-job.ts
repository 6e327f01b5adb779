import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { StreamingResponse } from "../../../client/client.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { writeFileAtomically } from "../../files/atomic-file.ts";
import { describeFileError } from "../../files/file-errors.ts";
import { createFolder } from "../../files/folders.ts";
import { explainNotReadable } from "./job.ts";

interface PulledFile {
  readonly name: string;
  readonly bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
}

/** What pins the files of a pulled job. */
export interface PullManifest {
  readonly jobId: string;
  readonly baseUrl: string;
  readonly contractHash: string | null;
  /** RFC 3339. */
  readonly pulledAt: string;
  readonly files: readonly PulledFile[];
}

/** Present where the folder holds everything else. */
export const MANIFEST_NAME = "manifest.json";

/** Saves report and dataset of a job in a folder, which is made if it is missing. */
export async function pullJob(
  context: Context,
  service: Service,
  id: string,
  folder: string,
): Promise<PullManifest> {
  const { client, connection, operations } = service;
  const contractHash = await fetchContractHash(service);
  const report = await client
    .send(operations.diligence.report, { params: { jobId: id } })
    .catch(async (error: unknown) => Promise.reject(await explainNotReadable(service, id, error)));
  const dataset = await client.stream(operations.diligence.dataset, { params: { jobId: id } });
  requireSameContract(
    id,
    contractHash,
    parseJsonResponse(report, "the report"),
    dataset.headers["contract-version"],
  );

  await createPullFolder(folder);
  // An earlier pull's manifest does not speak of what is written now.
  await rm(join(folder, MANIFEST_NAME), { force: true });
  const files = [
    await saveFile(folder, "report.json", [report.body], context.signal),
    await saveFile(folder, "dataset.json", dataset.body, context.signal),
  ];
  const pulledAt = new Date(context.now()).toISOString();
  const manifest = { jobId: id, baseUrl: connection.baseUrl, contractHash, pulledAt, files };
  // Last, so that a folder with a manifest is a complete one.
  await writeFileAtomically(join(folder, MANIFEST_NAME), [`${JSON.stringify(manifest, null, 2)}\n`]);
  return manifest;
}

/** The hash of the contract the service serves now; null for a service that serves none. */
async function fetchContractHash({ client, operations, hashContract }: Service): Promise<string | null> {
  try {
    const answer = await client.send(operations.document.openapi);
    return hashContract(parseJsonResponse(answer, "the contract"));
  } catch (error) {
    if (error instanceof ClaimsError && error.kind === "not_found") return null;
    throw error;
  }
}

/** Report and dataset must speak of the same job under the same contract (interface §9.3). */
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
  throw new ClaimsError(
    "verification",
    "mixed_contract",
    jobId === id
      ? `report and dataset do not follow the contract that the service serves now (${contractHash})`
      : `the report is that of job ${String(jobId)}`,
    { hint: "pull again; if it stays, ask which contract version the deployment follows" },
  );
}

async function createPullFolder(folder: string): Promise<void> {
  try {
    await createFolder(folder);
  } catch (cause) {
    throw new ClaimsError(
      "usage",
      "cannot_write",
      `cannot make the folder ${folder}: ${describeFileError(cause)}`,
      {
        hint: "name another folder with -d",
        cause,
      },
    );
  }
}

async function saveFile(
  folder: string,
  name: string,
  content: StreamingResponse["body"] | Iterable<Uint8Array>,
  signal: AbortSignal,
): Promise<PulledFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  }
  await writeFileAtomically(join(folder, name), measured(), { signal });
  return { name, bytes, sha256: hash.digest("hex") };
}
