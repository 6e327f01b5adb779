import { type ClaimsError, usageError } from "../../../../domain/errors.ts";
import { isRecord } from "../../../../domain/json.ts";

export type HeaderPair = readonly [name: string, value: string];

export interface ReceivedDelivery {
  /** In the order and case in which they arrived. */
  readonly headers: readonly HeaderPair[];
  readonly body: Buffer;
  /** Of the endpoint that received it, if known. */
  readonly secretPrefix?: string | undefined;
}

/** The input is not in its format. */
export const inputError = (message: string, hint: string, cause?: unknown): ClaimsError =>
  usageError("invalid_input", message, { hint, cause });

/** @throws ClaimsError `invalid_input` */
export function parseJson(bytes: Buffer, shownAs: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch (cause) {
    throw inputError(`${shownAs} is not JSON`, "save the complete file again from its source", cause);
  }
}

/** Headers that a program printed as a JSON object; none for another value. */
export const headersFromObject = (value: unknown): readonly HeaderPair[] =>
  Object.entries(isRecord(value) ? value : {}).flatMap(([name, each]) =>
    (Array.isArray(each) ? each : [each]).map((one): HeaderPair => [name, String(one)]),
  );
