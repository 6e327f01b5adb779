import type { ApiResponse } from "../../client/client.ts";
import { unreachableError } from "../../domain/errors.ts";
import { isTooDeep } from "../../domain/json.ts";

/** What JSON says that a service sent; undefined where it is none. */
export function tryParseJson({ body }: Pick<ApiResponse, "body">): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    // Whoever asks knows what to make of an answer in another form.
    return undefined;
  }
}

/** Reads JSON that a service sent, or says what came instead. */
export function parseJsonResponse({ body, headers }: ApiResponse, what: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (error) {
    const type = headers["content-type"] ?? "no content type";
    throw unreachableError(
      "unexpected_answer",
      `${what}: the answer is not JSON (${type}, ${body.length} bytes)`,
      { hint: "check that the base URL is the service itself", cause: error },
    );
  }
  if (!isTooDeep(value)) return value;
  throw unreachableError(
    "unexpected_answer",
    `${what}: the answer nests too deep to be read (${body.length} bytes)`,
    { hint: "see it as it is with `claims api GET`; check that the base URL is the service itself" },
  );
}
