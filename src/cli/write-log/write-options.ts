import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { parseDurationFlag, parseIdempotencyKey } from "../framework/values.ts";

/** Of every command that writes. */
export const resendOptions = {
  resendUnknown: {
    help: "send a write with unknown outcome again, although the service may execute it twice",
  },
  keyLifetime: {
    value: "duration",
    parse: parseDurationFlag,
    help: "how long the service knows an Idempotency-Key; an older one needs --resend-unknown (23h)",
  },
} as const satisfies OptionSpecs;

/** Of every command that writes, unless it takes the key in another way. */
export const writeOptions = {
  idempotencyKey: {
    value: "key",
    parse: parseIdempotencyKey,
    help: "send this Idempotency-Key instead of a new one; the service executes each key once",
  },
  ...resendOptions,
} as const satisfies OptionSpecs;

export type ResendOptions = Partial<OptionValues<typeof resendOptions>>;

/** The default of the key is that of the same write if its outcome is unknown, or a new one. */
export type WriteOptions = Partial<OptionValues<typeof writeOptions>>;
