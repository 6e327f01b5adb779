import { readJobFields } from "../../../client/wait.ts";
import { verificationError } from "../../../domain/errors.ts";

/** Each contract version that a report or a dataset names, once. The names are assumed (interface §4). */
export interface NamedVersions {
  /** The document, as in `the report`. */
  readonly what: string;
  readonly versions: readonly string[];
}

export function readVersions(
  what: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): NamedVersions {
  const fields = readJobFields(body);
  const header = headers["contract-version"]?.replace(/^(?:W\/)?"(.*)"$/, "$1");
  const named = [fields.contractVersion, fields.contract_version, header]
    .filter((value) => (typeof value === "string" && value !== "") || Number.isSafeInteger(value))
    .map((value) => (isHash(String(value)) ? String(value).toLowerCase() : String(value)));
  return { what, versions: [...new Set(named)] };
}

/** Another form of a version, as in `1.4`, cannot be compared with the contract. */
const isHash = (version: string): boolean => /^[0-9a-f]{64}$/i.test(version);

/** Hashes of the contract that the service serves now. Null if it has none that can be read. */
export interface ContractHashes {
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
export function requireOneVersion(
  jobId: string,
  { canonical, bytes }: ContractHashes,
  documents: readonly NamedVersions[],
) {
  const changedError = (problem: string) =>
    verificationError("contract_changed", `${problem}; nothing was saved`, {
      jobId,
      hint: "pull again; if it fails again, ask the operator of the service",
    });
  const [version = null, ...others] = new Set(documents.flatMap(({ versions }) => versions));
  if (others.length > 0) {
    const named = documents.filter(({ versions }) => versions.length > 0);
    const parts = named.map(({ what, versions }) => `${what} has contract version ${versions.join(" and ")}`);
    throw changedError(parts.join(", "));
  }
  if (version !== null && canonical !== null && isHash(version) && ![canonical, bytes].includes(version))
    throw changedError(
      `report and dataset have contract version ${version}, and the contract that the service serves now hashes to ${canonical}`,
    );
  const [first, second] = documents.filter(({ versions }) => versions.length === 0);
  if (second)
    return {
      version,
      warning: "neither the report nor the dataset names a contract version; the manifest says null",
    };
  return {
    version,
    warning: first ? `${first.what} names no contract version, and was not compared with the other` : null,
  };
}
