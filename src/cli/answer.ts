import type { Answer } from "../client/client.ts";
import { ClaimsError } from "../domain/errors.ts";

/** What JSON says that a service sent; undefined where it is none. */
export function jsonIn({ body }: Pick<Answer, "body">): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // Whoever asks knows what to make of an answer in another form.
    return undefined;
  }
}

/** Reads JSON that a service sent, or says what came instead. */
export function parseAnswer({ body, headers }: Answer, what: string): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    const type = headers["content-type"] ?? "no content type";
    throw new ClaimsError(
      "unreachable",
      "unexpected_answer",
      `${what}: the answer is not JSON (${type}, ${body.length} bytes)`,
      { hint: "check that the base URL is the service itself", cause: error },
    );
  }
}
