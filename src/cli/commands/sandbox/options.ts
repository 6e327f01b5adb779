import { resolve } from "node:path";
import type { SandboxOptions } from "../../../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../../contract/grease.ts";
import { usageError } from "../../../domain/errors.ts";
import { parseGrease } from "../../connection/embedded-sandbox.ts";
import { readMapping } from "../../connection/mapping-file.ts";
import type { Context } from "../../context.ts";
import {
  allowHostOption,
  formatLongFlag,
  type OptionSpecs,
  type OptionValues,
} from "../../framework/options.ts";
import { parseInteger, parsePort, parseSeed } from "../../framework/values.ts";
import { sanitizeText } from "../../output/sanitize.ts";
import { writeToStderr } from "../../output/stderr.ts";

export const startOptions = {
  port: { value: "number", parse: parsePort, help: "port to listen on; 0 picks a free one" },
  host: {
    value: "address",
    help: "address to listen on; beyond loopback, the credentials are random",
    default: "127.0.0.1, with IPv6 alone ::1",
  },
  ...allowHostOption,
  seed: {
    value: "number",
    parse: (text) => parseSeed(text),
    help: "seed of ids and credentials",
    default: "1",
  },
  frozen: { help: "stop the clock" },
  at: { value: "time", help: "with --frozen: the time of the clock, RFC 3339" },
  jobSpeed: {
    value: "speed",
    choices: ["instant", "real"],
    help: "end jobs at once, or let them take their time",
    default: "instant",
  },
  maxUpload: { value: "size", parse: parseSize, help: "largest upload, as in 64MiB", default: "256MiB" },
  webhookRetries: {
    value: "plan",
    help: "retry schedule of deliveries: fast, standard (75 h), none, or a list as 0,5s,5m",
    default: "fast; --frozen: standard",
  },
  allowPublicWebhooks: { help: "deliver to public addresses too" },
  rateLimit: {
    value: "rate",
    help: "requests of each credential in a time, as in 100/10s",
    default: "no limit",
  },
  requestLogSize: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "a number of requests", min: 1, max: 10_000 }),
    help: "requests to keep for `claims sandbox requests`",
    default: 1000,
  },
  grease: {
    value: "what",
    parse: (text) => parseGrease(text),
    repeats: true,
    help: `vary assumed behaviour, several with commas: ${[...GREASE_DIMENSIONS, "all"].join(", ")}`,
  },
  mapping: { value: "file", help: "respond as a real service does, by a file of `claims mapping learn`" },
} as const satisfies OptionSpecs;

/** Only `claims sandbox up` takes them. */
export const stateOptions = {
  state: { value: "file", help: "load the state from this file; save it there after changes and at the end" },
} as const satisfies OptionSpecs;

type StartOptions = OptionValues<typeof startOptions>;

/** The options of the library; one that is not given is absent. */
export async function toSandboxOptions(context: Context, given: StartOptions): Promise<SandboxOptions> {
  const { at, frozen, grease, port, host, seed, jobSpeed, rateLimit, webhookRetries, requestLogSize } = given;
  if (at !== undefined && !frozen)
    throw usageError("missing_option", "--at needs --frozen", { hint: "add --frozen" });
  const options = {
    port,
    host,
    allowHosts: given.allowHost,
    seed,
    frozenAt: frozen ? (at ?? new Date(context.now())) : undefined,
    jobSpeed,
    maxUploadBytes: given.maxUpload,
    rateLimit,
    webhookRetries,
    allowPublicWebhooks: given.allowPublicWebhooks,
    requestLogSize,
    grease: grease?.flat(),
    mapping: given.mapping === undefined ? undefined : await readMapping(context, given.mapping),
    onError: (error: unknown) => {
      const message = `sandbox: ${(error as Error)?.stack ?? error}`;
      writeToStderr(context, `${sanitizeText(message)}\n`, { warning: { message } });
    },
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The same options as a command line, for a sandbox in a separate process. */
export const toStartFlags = ({ cwd }: Context, options: StartOptions & OptionValues<typeof stateOptions>) =>
  Object.keys({ ...startOptions, ...stateOptions }).flatMap((key) => {
    const value = options[key as keyof typeof options];
    if (value === undefined || value === false) return [];
    const flag = formatLongFlag(key);
    if (value === true) return [flag];
    // The process may run elsewhere.
    if (key === "mapping" || key === "state") return [flag, resolve(cwd, String(value))];
    if (Array.isArray(value)) return value.flatMap((each) => [flag, String(each)]);
    return [flag, String(value)];
  });

const SIZES = { B: 1, KiB: 1 << 10, MiB: 1 << 20, GiB: 1 << 30 } as const;

function parseSize(text: string): number {
  const [, amount, unit = "B"] = /^(\d+)(B|KiB|MiB|GiB)?$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * SIZES[unit as keyof typeof SIZES];
  throw usageError("option_invalid", `"${text}" is not a size`, {
    hint: "write 1000000, 512KiB, 64MiB or 1GiB",
  });
}
