import { readJobFields, readJobId } from "../../../client/wait.ts";
import { verificationError } from "../../../domain/errors.ts";

/** What a report or a dataset says of itself, in its body and its headers. The names are assumed (interface §4). */
export interface Origin {
  /** Names the document, as in `the report`. */
  readonly what: string;
  readonly jobId: string | null;
  /** Each version that the document names, once. */
  readonly versions: readonly string[];
}

export function readOrigin(what: string, body: unknown, headers: Readonly<Record<string, string>>): Origin {
  const fields = readJobFields(body);
  const header = headers["contract-version"]?.replace(/^(?:W\/)?"(.*)"$/, "$1");
  const versions = readTexts(fields.contractVersion, fields.contract_version, header).map((version) =>
    isHash(version) ? version.toLowerCase() : version,
  );
  return { what, jobId: readJobId(body), versions: [...new Set(versions)] };
}

const readTexts = (...values: readonly unknown[]): readonly string[] =>
  values.flatMap((value) =>
    (typeof value === "string" && value !== "") || Number.isSafeInteger(value) ? String(value) : [],
  );

/** Another form of a version, as in `1.4`, cannot be compared with the contract. */
const isHash = (version: string): boolean => /^[0-9a-f]{64}$/i.test(version);

/** Hashes of the contract that the service serves now. Null if it has none that can be read. */
export interface ContractHashes {
  /** The hash of the contract in the form of RFC 8785. */
  readonly canonical: string | null;
  /** The hash of the bytes that the service sent. */
  readonly bytes: string | null;
}

const HINT = "pull again; if it fails again, ask the operator of the service";

/**
 * Report and dataset must be of the same job and the same contract version (interface §9.3). Returns that version, null if
 * neither names one.
 *
 * @throws ClaimsError `wrong_job`, `contract_changed`
 */
export function requireOneOrigin(
  id: string,
  contract: ContractHashes,
  origins: readonly Origin[],
): string | null {
  const other = origins.find(({ jobId }) => jobId !== null && jobId.toLowerCase() !== id.toLowerCase());
  if (other)
    throw verificationError(
      "wrong_job",
      `${other.what} is of job ${other.jobId}, not of job ${id}; nothing was saved`,
      { jobId: id, hint: HINT },
    );
  const [version = null, ...others] = new Set(origins.flatMap(({ versions }) => versions));
  if (others.length > 0) {
    const named = origins.filter(({ versions }) => versions.length > 0);
    const parts = named.map(({ what, versions }) => `${what} has contract version ${versions.join(" and ")}`);
    throw verificationError("contract_changed", `${parts.join(", ")}; nothing was saved`, {
      jobId: id,
      hint: HINT,
    });
  }
  const { canonical, bytes } = contract;
  if (version === null || canonical === null || !isHash(version)) return version;
  if (version === canonical || version === bytes) return version;
  const message = `report and dataset have contract version ${version}, and the contract that the service serves now hashes to ${canonical}; nothing was saved`;
  throw verificationError("contract_changed", message, { jobId: id, hint: HINT });
}

/** Why the two cannot be compared; null if each names its contract version. */
export function describeUnnamedVersions(origins: readonly Origin[]): string | null {
  const [first, second] = origins.filter(({ versions }) => versions.length === 0);
  if (first === undefined) return null;
  if (second) return "neither the report nor the dataset names a contract version; the manifest says null";
  return `${first.what} names no contract version, and was not compared with the other`;
}
