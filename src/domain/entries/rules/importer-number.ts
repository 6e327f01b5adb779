import { createHash } from "node:crypto";

const EIN = /^(\d\d)-(\d{7})([A-HJ-NP-Y0-9]{2})?$/;
const EIN_WITHOUT_DASH = /^(\d\d)(\d{7}[A-HJ-NP-Y0-9]{2})$/;
const CBP_ASSIGNED = /^\d{6}-\d{5}$/;
const SSN = /^\d{3}-\d{2}-\d{4}$/;
const SSN_ANYWHERE = /\b\d{3}-\d{2}-(\d{4})\b/g;

/** Separates a masked number from the hash that distinguishes numbers with the same last digits. */
const HASH_SEPARATOR = "\n";

/** How rows compare importer numbers: with a dash, social security numbers masked; null for another shape (§1). */
export function normalizeImporterNumber(cell: string): string | null {
  if (EIN.test(cell) || CBP_ASSIGNED.test(cell)) return cell;
  const bare = EIN_WITHOUT_DASH.exec(cell);
  if (bare !== null) return `${bare[1]}-${bare[2]}`;
  if (!SSN.test(cell)) return null;
  const hash = createHash("sha256").update(cell).digest("base64").slice(0, 12);
  return maskSocialSecurityNumbers(cell) + HASH_SEPARATOR + hash;
}

export const formatImporterNumber = (compared: string): string =>
  compared.includes(HASH_SEPARATOR) ? compared.slice(0, compared.indexOf(HASH_SEPARATOR)) : compared;

/** Masks all but the last four digits of each social security number in a text (diligence-model §1). */
export const maskSocialSecurityNumbers = (text: string): string => text.replace(SSN_ANYWHERE, "***-**-$1");
