import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

/** The RFC 8785 form of a JSON value. */
export function toCanonicalJson(document: unknown): string {
  const text = canonicalize(document);
  if (text === undefined) throw new TypeError("only a JSON value has a canonical form");
  return text;
}

export const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A contract as a service publishes it (interface §9.4). */
export interface PublishedContract {
  /** RFC 8785 form of the document, as UTF-8 text. */
  readonly canonicalJson: string;
  readonly hash: string;
}

export function toPublishedContract(document: unknown): PublishedContract {
  const canonicalJson = toCanonicalJson(document);
  return { canonicalJson, hash: sha256Hex(canonicalJson) };
}

/** The contract hash: hex SHA-256 of the canonical form (product.md §5). */
export const hashContract = (document: unknown): string => toPublishedContract(document).hash;
