import { type OptionSpecs, type OptionValues, WRITE_OPTIONS } from "../framework/options.ts";

const ON_DUPLICATE = ["warn", "skip", "fail", "submit"] as const;

export type OnDuplicate = (typeof ON_DUPLICATE)[number];

/** @param standard what happens without the option */
export const onDuplicateOption = (standard: string) =>
  ({
    onDuplicate: {
      value: "action",
      choices: ON_DUPLICATE,
      help: "for a submission that was accepted before: skip uses the earlier job, fail exits 5",
      default: standard,
    },
  }) as const satisfies OptionSpecs;

/** Of every command that writes, unless it takes the key in another way. */
export const writeOptions = WRITE_OPTIONS;

const { idempotencyKey: _, ...withoutKey } = WRITE_OPTIONS;

/** Every command that writes takes them. */
export const resendOptions = withoutKey;

export type ResendOptions = Partial<OptionValues<typeof resendOptions>>;

/** The default of the key is that of the same write if its outcome is unknown, or a new one. */
export type WriteOptions = Partial<OptionValues<typeof writeOptions>>;
