import { Buffer } from "node:buffer";
import { isUtf16 } from "../../entries/csv/file-kind.ts";
import { type ClaimsError, usageError } from "../../errors.ts";
import { headerValues } from "../../http-headers.ts";
import { SIGNATURE_HEADER } from "../headers.ts";

export type HeaderPair = readonly [name: string, value: string];

export interface ReceivedDelivery {
  /** In the order and case in which they arrived. */
  readonly headers: readonly HeaderPair[];
  readonly body: Buffer;
  /** Of the endpoint that received it, if known. */
  readonly secretPrefix?: string | undefined;
}

/** The first one that arrived; empty without one. */
export const signatureOf = ({ headers }: Pick<ReceivedDelivery, "headers">): string =>
  headerValues(headers, SIGNATURE_HEADER)[0] ?? "";

/** A header that arrived without a signature, or that a program prints of a header that did not arrive. */
export const isEmptySignature = ([name, value]: HeaderPair): boolean =>
  name.toLowerCase() === SIGNATURE_HEADER.toLowerCase() && value === "";

/** Enough to recognize UTF-16 without a byte order mark. */
const SAMPLE_BYTES = 1_024;

/** The input is not in its format. */
export const inputError = (message: string, hint: string, cause?: unknown): ClaimsError =>
  usageError("invalid_input", message, { hint, cause });

/** As PowerShell writes text, for example. */
const UTF16_MARKS = { fffe: "utf-16le", feff: "utf-16be" } as const;

/** The bytes in UTF-8, if a byte order mark says that they are UTF-16. */
export function toUtf8(bytes: Buffer): Buffer {
  const encoding = UTF16_MARKS[bytes.toString("hex", 0, 2) as keyof typeof UTF16_MARKS];
  const isUtf32 = bytes[2] === 0 && bytes[3] === 0;
  return encoding === undefined || isUtf32 ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
}

/** @throws ClaimsError `invalid_input`: the text is UTF-16 without a byte order mark, or UTF-32 */
export function decodeText(encoded: Buffer, displayName: string): string {
  const bytes = toUtf8(encoded);
  if (bytes.length > 0 && isUtf16(bytes.subarray(0, SAMPLE_BYTES)))
    throw inputError(`${displayName} is UTF-16 or UTF-32`, "save it as UTF-8; PowerShell's > writes UTF-16");
  return bytes.toString("utf8").replace(/^\ufeff/, "");
}
