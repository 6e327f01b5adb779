import { usageError } from "../../domain/errors.ts";
import type { OptionSpecs } from "./command.ts";

/** The key of a write, chosen by whoever runs it. */
export const idempotencyKeyOption = {
  idempotencyKey: {
    value: "key",
    parse: parseIdempotencyKey,
    help: "send this Idempotency-Key instead of a fresh one; the same key is never carried out twice",
  },
} as const satisfies OptionSpecs;

/** 1 to 255 visible ASCII characters: what a header holds and the sandbox takes (product.md §5). */
function parseIdempotencyKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw usageError("invalid_idempotency_key", "an idempotency key has 1 to 255 visible ASCII characters", {
    hint: "use a UUID, or a name of your own for what is submitted",
  });
}
