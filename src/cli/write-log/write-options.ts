import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { parseDurationFlag, parseIdempotencyKey } from "../framework/values.ts";

const ON_DUPLICATE = ["warn", "skip", "fail", "submit"] as const;

export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/** @param standard what happens without the option */
export const onDuplicateOption = (standard: string) =>
  ({
    onDuplicate: {
      value: "action",
      choices: ON_DUPLICATE,
      help: `for a submission that was accepted before: skip uses the earlier job, fail exits 5 (${standard})`,
    },
  }) as const satisfies OptionSpecs;

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
