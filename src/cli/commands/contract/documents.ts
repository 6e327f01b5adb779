// One file of dist: the contract's rows, the documents, and what holds one against another.
import { Buffer } from "node:buffer";
import { resolve } from "node:path";
import { compareContracts, type Difference } from "../../../contract/compare/compare-contracts.ts";
import { isOpenApi } from "../../../contract/compare/parse-operations.ts";
import { hashContract } from "../../../contract/hash.ts";
import { getContract } from "../../../contract/openapi.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { isTooDeep } from "../../../domain/json.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";

export { listAssumptions } from "../../../contract/assumptions.ts";
export { renderAssumptions } from "./assumptions/render-assumptions.ts";
export { compareContracts, type Difference, hashContract };

/** Bytes of a contract; ours has some hundred thousand. */
const MAX_CONTRACT_BYTES = 16 << 20;

type Document = Readonly<Record<string, unknown>>;

/** A contract, and where it is from. */
export interface ContractDocument {
  /** `live`, `pinned`, `bundled` or a file. */
  readonly from: string;
  readonly document: Document;
  /** Hex SHA-256 of the document's RFC 8785 form (product.md §5). */
  readonly hash: string;
}

export interface LiveContract extends ContractDocument {
  /** As they came. */
  readonly body: Buffer;
  /** Without its quotes; null where the service sends none. */
  readonly etag: string | null;
}

/** The contract that this version of the toolkit was made for. */
export const loadBundledContract = (): ContractDocument => ({
  from: "bundled",
  // A plain copy: the schemas have their own hidden marks.
  document: JSON.parse(getContract().canonicalJson) as Document,
  hash: getContract().hash,
});

/** The contract that the service serves now (interface §9.4). */
export async function fetchContract({ client, operations }: Service): Promise<LiveContract> {
  const { headers, body } = await client.stream(operations.document.openapi);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MAX_CONTRACT_BYTES)
      throw contractTooLargeError("the service's contract", "check that the base URL is the service itself");
    pieces.push(piece);
  }
  const bytes = Buffer.concat(pieces);
  const etag = /^(?:W\/)?"(.*)"$/.exec(headers.etag ?? "")?.[1] ?? null;
  return { ...parseContract(bytes, "live", "what the service serves as its contract"), body: bytes, etag };
}

/** A contract that was saved. */
export async function readContract(context: Context, path: string): Promise<ContractDocument> {
  const bytes = await readInput(context, path);
  if (bytes.length > MAX_CONTRACT_BYTES) throw contractTooLargeError(path, "name the file that was meant");
  return path === "-"
    ? parseContract(bytes, "stdin", "stdin")
    : parseContract(bytes, resolve(context.cwd, path), path);
}

function parseContract(bytes: Buffer, from: string, what: string): ContractDocument {
  let document: unknown;
  try {
    document = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw notAContractError(`${what} is not JSON (${bytes.length} bytes)`, cause);
  }
  if (!isOpenApi(document)) throw notAContractError(`${what} is JSON, but no OpenAPI 3 document`);
  if (isTooDeep(document)) throw notAContractError(`${what} nests too deep to be a contract`);
  try {
    return { from, document, hash: hashContract(document) };
  } catch (cause) {
    // RFC 8785 has no form for half a character, or for a number that is none.
    throw notAContractError(`${what} has no hash: ${(cause as Error).message}`, cause);
  }
}

const notAContractError = (message: string, cause?: unknown): ClaimsError =>
  new ClaimsError("verification", "not_a_contract", message, {
    hint: "check the base URL or the file: a contract has `openapi` and `paths`",
    cause,
  });

const contractTooLargeError = (what: string, hint: string): ClaimsError =>
  new ClaimsError(
    "verification",
    "contract_too_large",
    `${what} has more than ${MAX_CONTRACT_BYTES >> 20} MiB`,
    {
      hint,
    },
  );
