import type { TSchema } from "typebox";
import { usageError } from "../../src/domain/errors.ts";
import { ProblemError } from "../wire/problem-error.ts";
import { requireValid } from "../wire/validate.ts";

/**
 * Validates input of the library against a schema of the control API.
 *
 * @throws ClaimsError `validation_failed`
 */
export async function validateInput(value: unknown, schema: TSchema, hint: string): Promise<void> {
  try {
    await requireValid(value, schema, (pointer) => ({ pointer }));
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw usageError("validation_failed", error.message, { hint });
  }
}
