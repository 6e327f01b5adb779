import { ClaimsError } from "../../../../domain/errors.ts";

export type Header = readonly [name: string, value: string];

/** A delivery as somebody kept it. */
export interface Delivery {
  /** In the order and case in which they came. */
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Of the endpoint that it was sent to, where whoever tells the delivery knows it. */
  readonly secretPrefix?: string | undefined;
}

/** What was given cannot be read as what it was said to be. */
export const unusable = (message: string, hint: string, cause?: unknown): ClaimsError =>
  new ClaimsError("usage", "unusable_input", message, { hint, cause });

/** @throws ClaimsError `unusable_input` where it is no JSON */
export function parsedJson(bytes: Buffer, shownAs: string): unknown {
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch (cause) {
    throw unusable(`${shownAs} is not JSON`, "save it again from where it came, whole", cause);
  }
}
