import type { SandboxOptions } from "../../../../sandbox/index.ts";
import { GREASE_DIMENSIONS } from "../../../contract/grease.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import { MAX_SEED, parseGrease } from "../../connection/sandbox-variables.ts";
import type { Context } from "../../context.ts";
import type { OptionSpecs, OptionValues } from "../../framework/options.ts";
import { parseDurationFlag, parseInteger } from "../../framework/values.ts";
import { sanitizeText } from "../../output/sanitize.ts";

/** Which of the environments that a sandbox plays. */
export const environmentOption = {
  in: {
    value: "environment",
    choices: ["sandbox", "production"],
    help: "in which environment (sandbox)",
  },
} as const satisfies OptionSpecs;

/** How a sandbox starts. */
export const startOptions = {
  port: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "a port", min: 0, max: 65_535 }),
    help: "port to listen on; 0 takes a free one",
  },
  host: {
    value: "address",
    help: "address to listen on (127.0.0.1); beyond loopback the credentials are random",
  },
  seed: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "a seed", min: 0, max: MAX_SEED }),
    help: "decides ids and credentials (1)",
  },
  frozen: { help: "stop the clock" },
  at: { value: "time", help: "with --frozen: the time the clock shows, RFC 3339" },
  jobSpeed: {
    value: "speed",
    choices: ["instant", "real"],
    help: "whether jobs end at once or take their time (instant)",
  },
  maxUpload: { value: "size", parse: parseSize, help: "largest upload, as in 64MiB (256MiB)" },
  webhookRetries: {
    value: "plan",
    help: "when deliveries are tried again: fast, standard (75 h), none, or a list as 0,5s,5m (fast; --frozen: standard)",
  },
  webhookTimeout: {
    value: "duration",
    parse: parseDurationFlag,
    help: "how long a receiver may take to answer (15s)",
  },
  allowPublicWebhooks: { help: "deliver to public addresses too, not to this machine and its network alone" },
  rateLimit: { value: "rate", help: "requests that each credential has in a time, as in 100/10s (no limit)" },
  journal: {
    value: "number",
    parse: (text) => parseInteger(text, { what: "a number of requests", min: 0, max: 100_000 }),
    help: "how many requests to keep for `claims sandbox requests` (1000); 0 keeps none",
  },
  grease: {
    value: "what",
    parse: (text) => parseGrease(text),
    repeats: true,
    help: `vary what is only assumed: ${[...GREASE_DIMENSIONS, "all"].join(", ")}; several with commas`,
  },
} as const satisfies OptionSpecs;

type StartOptions = OptionValues<typeof startOptions>;

/** The sandbox's own options, from those of the command line. */
export function toSandboxOptions(context: Context, given: StartOptions): SandboxOptions {
  const { port, host, seed, frozen, at, jobSpeed, maxUpload, rateLimit, grease, journal } = given;
  const { webhookRetries, webhookTimeout, allowPublicWebhooks } = given;
  if (at !== undefined && !frozen) {
    throw new ClaimsError("usage", "at_without_frozen", "--at needs --frozen", { hint: "add --frozen" });
  }
  return {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(seed !== undefined && { seed }),
    ...(frozen && { frozenAt: at ?? new Date(context.now()) }),
    ...(jobSpeed !== undefined && { jobSpeed }),
    ...(maxUpload !== undefined && { maxUploadBytes: maxUpload }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(webhookRetries !== undefined && { webhookRetries }),
    ...(webhookTimeout !== undefined && { webhookTimeoutMs: webhookTimeout }),
    ...(allowPublicWebhooks && { allowPublicWebhooks }),
    ...(journal !== undefined && { requestLogSize: journal }),
    ...(grease !== undefined && { grease: grease.flat() }),
    onError: (error) =>
      void context.stderr.writable.write(
        `sandbox: ${sanitizeText(String((error as Error)?.stack ?? error))}\n`,
      ),
  };
}

/** The same options as a command line, for a sandbox in a process of its own. */
export function toStartFlags(options: StartOptions): string[] {
  const { webhookTimeout, frozen = false, allowPublicWebhooks = false } = options;
  const valued = {
    "--port": options.port,
    "--host": options.host,
    "--seed": options.seed,
    "--at": options.at,
    "--job-speed": options.jobSpeed,
    "--max-upload": options.maxUpload,
    "--rate-limit": options.rateLimit,
    "--webhook-retries": options.webhookRetries,
    "--webhook-timeout": webhookTimeout === undefined ? undefined : `${webhookTimeout}ms`,
    "--journal": options.journal,
    "--grease": options.grease,
  };
  const flags = Object.entries(valued).flatMap(([flag, value]) =>
    value === undefined ? [] : [flag, String(value)],
  );
  const switches = { "--frozen": frozen, "--allow-public-webhooks": allowPublicWebhooks };
  return [...flags, ...Object.entries(switches).flatMap(([flag, on]) => (on ? [flag] : []))];
}

const SIZES = { B: 1, KiB: 1 << 10, MiB: 1 << 20, GiB: 1 << 30 } as const;

function parseSize(text: string): number {
  const [, amount, unit = "B"] = /^(\d+)(B|KiB|MiB|GiB)?$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount) * SIZES[unit as keyof typeof SIZES];
  throw new ClaimsError("usage", "invalid_size", `"${text}" is not a size`, {
    hint: "write 1000000, 512KiB, 64MiB or 1GiB",
  });
}
