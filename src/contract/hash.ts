import { createHash } from "node:crypto";
import canonicalize from "canonicalize";

/** The RFC 8785 form of a JSON value. */
export function toCanonicalJson(document: unknown): string {
  const text = canonicalize(document);
  if (text === undefined) throw new TypeError("only a JSON value has a canonical form");
  return text;
}

export const sha256Hex = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The contract hash: hex SHA-256 of the canonical form (product.md §5). */
export const hashContract = (document: unknown): string => sha256Hex(toCanonicalJson(document));
