import type { Buffer } from "node:buffer";
import { resolve } from "node:path";
import { requireKnownCharset } from "../../../client/http/classify-body.ts";
import { compareContracts } from "../../../contract/compare/compare-contracts.ts";
import { isOpenApi } from "../../../contract/compare/contract-reader.ts";
import { hashContract } from "../../../contract/hash.ts";
import { getContract } from "../../../contract/openapi.ts";
import { type ClaimsError, verificationError } from "../../../domain/errors.ts";
import { dropByteOrderMark, isTooDeep, parseJsonText } from "../../../domain/json.ts";
import { formatCount } from "../../../domain/numbers.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";

export { compareContracts, hashContract };

/** Our own contract has some hundred thousand bytes. */
const MAX_CONTRACT_MIB = 16;

/** A contract, and its source: `live`, `pinned`, `bundled` or a file. */
export interface ContractDocument {
  readonly from: string;
  readonly document: Readonly<Record<string, unknown>>;
  /** Hex SHA-256 of the document's RFC 8785 form (product.md §5). */
  readonly hash: string;
}

/** The contract that this version of the toolkit was made for. */
export const loadBundledContract = (): ContractDocument => ({
  from: "bundled",
  // A copy: the schemas have hidden properties.
  document: JSON.parse(getContract().canonicalJson),
  hash: getContract().hash,
});

export interface LiveContract extends ContractDocument {
  readonly body: Buffer;
  /** The value of the header ETag without its quotes. */
  readonly etag: string | null;
}

/** The contract that the service serves now (interface §9.4). */
export async function fetchContract({ client, operations }: Service): Promise<LiveContract> {
  const response = await client.send(operations.document.openapi);
  const { headers, body } = response;
  requireKnownCharset(response, "the service's contract");
  const etag = /^(?:W\/)?"(.*)"$/.exec(headers.etag ?? "")?.[1] ?? null;
  return { ...parseContract(body, "live", "the service's contract"), body, etag };
}

export async function readContract(context: Context, path: string): Promise<ContractDocument> {
  const bytes = await readInput(context, path, MAX_CONTRACT_MIB);
  return path === "-"
    ? parseContract(bytes, "stdin", "stdin")
    : parseContract(bytes, resolve(context.cwd, path), path);
}

function parseContract(bytes: Buffer, from: string, name: string): ContractDocument {
  const document = parseJsonText(dropByteOrderMark(bytes.toString("utf8")));
  if (document === undefined)
    throw notAContractError(`${name} is not JSON (${formatCount(bytes.length, "byte")})`);
  if (!isOpenApi(document)) throw notAContractError(`${name} is JSON, but not an OpenAPI 3 document`);
  if (isTooDeep(document)) throw notAContractError(`${name} is nested too deeply`);
  try {
    return { from, document, hash: hashContract(document) };
  } catch (cause) {
    // RFC 8785 cannot represent a lone surrogate or a number that is not finite.
    throw notAContractError(`${name} cannot be hashed: ${(cause as Error).message}`, cause);
  }
}

const notAContractError = (message: string, cause?: unknown): ClaimsError =>
  verificationError("not_a_contract", message, {
    hint: "check the base URL or the file: a contract has `openapi` and `paths`",
    cause,
  });
