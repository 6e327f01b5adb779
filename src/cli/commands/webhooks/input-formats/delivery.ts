import { ClaimsError } from "../../../../domain/errors.ts";

export type HeaderPair = readonly [name: string, value: string];

/** A delivery as somebody kept it. */
export interface ReceivedDelivery {
  /** In the order and case in which they came. */
  readonly headers: readonly HeaderPair[];
  readonly body: Buffer;
  /** Of the endpoint that it was sent to, where whoever tells the delivery knows it. */
  readonly secretPrefix?: string | undefined;
}

/** What was given cannot be read as what it was said to be. */
export const inputError = (message: string, hint: string, cause?: unknown): ClaimsError =>
  new ClaimsError("usage", "unusable_input", message, { hint, cause });

/** @throws ClaimsError `unusable_input` where it is no JSON */
export function parseJson(bytes: Buffer, shownAs: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch (cause) {
    throw inputError(`${shownAs} is not JSON`, "save it again from where it came, whole", cause);
  }
}
