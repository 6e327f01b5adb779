import { type Refusal, refusal } from "../refusal.ts";

/** Of one form: the bytes of its text fields all together, how many of them, and how many files. */
export const FORM_LIMITS = { maxFieldsSize: 64 * 1024, maxFields: 1_000, maxFiles: 100 } as const;

/** formidable's own numbers of its errors (its FormidableError.js). */
const FAULT = {
  fieldsTooLarge: 1006,
  tooManyFields: 1007,
  filesTooLarge: 1009,
  malformed: 1012,
  noBoundary: 1013,
  transferEncoding: 1014,
  tooManyFiles: 1015,
  fileTooLarge: 1016,
} as const;

/** A fault of the form that formidable found, in our words; null where the failure is our own. */
export function multipartRefusal(error: unknown, maxUploadBytes: number): Refusal | null {
  const { code, httpCode } = error as { code?: unknown; httpCode?: number };
  switch (code) {
    case FAULT.fieldsTooLarge:
      return tooLarge(`The text fields have more than ${FORM_LIMITS.maxFieldsSize} bytes.`);
    case FAULT.tooManyFields:
      return tooLarge(`The form has more than ${FORM_LIMITS.maxFields} text fields.`);
    case FAULT.tooManyFiles:
      return tooLarge(`The form has more than ${FORM_LIMITS.maxFiles} files.`);
    case FAULT.filesTooLarge:
    case FAULT.fileTooLarge:
      return tooLarge(`The file has more than ${maxUploadBytes} bytes.`);
    case FAULT.malformed:
      return malformed("The form is broken or cut short: no closing boundary came where one belongs.");
    case FAULT.noBoundary:
      return malformed("The Content-Type names no boundary. Let the HTTP client write that header.");
    case FAULT.transferEncoding:
      return malformed("A part has a Content-Transfer-Encoding; RFC 7578 §4.7 has none.");
    default:
      return httpCode === undefined ? null : malformed("The form cannot be read.");
  }
}

const tooLarge = (detail: string) => refusal("body_too_large", detail);
const malformed = (detail: string) => refusal("malformed_request", detail);
