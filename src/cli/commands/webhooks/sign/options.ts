import type { OptionSpecs } from "../../../framework/options.ts";
import { secretProfile, singleSecretOptions } from "../options.ts";

export const signOptions = {
  body: { value: "file", required: true, help: "body to sign, byte for byte" },
  timestamp: { value: "time", help: "value of X-Service-Timestamp (now, in unix seconds)" },
  event: { value: "name", help: "value of X-Service-Event (the payload's type)" },
  ...singleSecretOptions,
  ...secretProfile,
} as const satisfies OptionSpecs;
