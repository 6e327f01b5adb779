import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { GREASE_DIMENSIONS, isGreaseDimension } from "../../src/contract/grease.ts";
import type { ErrorCode } from "../../src/domain/error-codes.ts";
import { usageError } from "../../src/domain/errors.ts";
import { isLoopback } from "../../src/domain/net.ts";
import { parseRetrySchedule } from "../../src/domain/webhooks/retry-schedule.ts";
import type { Processes } from "../../src/process/identity.ts";
import type { EngineOptions } from "../engine/engine.ts";
import { seededRandom, unpredictableRandom } from "../engine/random.ts";
import { parseQuota } from "../engine/rate-limit.ts";
import { Clock } from "../engine/scheduler/clock.ts";
import { Uploads } from "../engine/uploads.ts";
import type { SandboxOptions } from "./sandbox.ts";

const MEBIBYTE = 1024 * 1024;

/** Ten minutes: a typing error must not hang a test. */
const MAX_WEBHOOK_TIMEOUT_MS = 600_000;

/** Without bodies, they need some hundred megabytes. */
const MAX_REQUEST_LOG_SIZE = 100_000;

/** The validated options with all defaults. */
export interface StartSettings {
  readonly port: number;
  readonly host: string;
  readonly onShutdownRequested: () => void;
  readonly engine: Omit<EngineOptions, "url">;
}

/** What the process supplies. */
export interface HostRuntime {
  readonly now: () => number;
  /** Milliseconds with fractions; only differences matter. */
  readonly stopwatch: () => number;
  readonly onError: (error: unknown) => void;
  readonly processes: Processes;
}

/** @throws ClaimsError of kind `usage` for invalid options */
export function parseStartOptions(options: SandboxOptions, runtime: HostRuntime): StartSettings {
  const given = applyDefaults(options, runtime);
  for (const [name, rule] of Object.entries(RULES)) checkOption(given[name as keyof typeof RULES], rule);
  return {
    port: given.port,
    host: given.host,
    onShutdownRequested: given.onShutdownRequested,
    engine: {
      random: isLoopback(given.host) ? seededRandom(given.seed) : unpredictableRandom(),
      grease: given.grease,
      clock: new Clock(given.now, given.frozenAt),
      jobSpeed: given.jobSpeed,
      maxUploadBytes: given.maxUploadBytes,
      rateLimit: given.rateLimit === undefined ? null : parseQuota(given.rateLimit),
      webhooks: {
        schedule: parseRetrySchedule(given.webhookRetries),
        timeoutMs: given.webhookTimeoutMs,
        allowPublic: given.allowPublicWebhooks,
        wallClock: given.now,
      },
      requestLog: { size: given.requestLogSize, stopwatch: runtime.stopwatch },
      uploads: new Uploads({ parent: given.tempDir ?? tmpdir(), processes: runtime.processes }),
      onError: given.onError,
    },
  };
}

function applyDefaults(options: SandboxOptions, runtime: HostRuntime) {
  const {
    port = 0,
    host = "127.0.0.1",
    seed = 1,
    frozenAt,
    jobSpeed = "instant",
    maxUploadBytes = 256 * MEBIBYTE,
    grease = [],
    rateLimit,
    webhookRetries = frozenAt === undefined ? "fast" : "standard",
    webhookTimeoutMs = 15_000,
    allowPublicWebhooks = false,
    requestLogSize = 1_000,
    now = runtime.now,
    tempDir,
    onShutdownRequested = () => undefined,
    onError = runtime.onError,
  } = options;
  return {
    port,
    host,
    seed,
    frozenAt,
    jobSpeed,
    maxUploadBytes,
    grease,
    rateLimit,
    requestLogSize,
    webhookRetries,
    webhookTimeoutMs,
    allowPublicWebhooks,
    now,
    tempDir,
    onShutdownRequested,
    onError,
  };
}

/** An option of the wrong type or range: `message` describes it, `hint` says what to give. */
interface OptionRule {
  readonly isValid: (value: unknown) => boolean;
  readonly code: ErrorCode<"usage">;
  readonly message: (value: unknown) => string;
  readonly hint: string;
}

const isIntegerBetween =
  (min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER) =>
  (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;

const rule = (
  code: ErrorCode<"usage">,
  subject: string,
  isValid: OptionRule["isValid"],
  hint: string,
  quote: (value: unknown) => string = String,
): OptionRule => ({ isValid, code, message: (value) => `${subject} cannot be ${quote(value)}`, hint });

// The clock, the rate limit and the schedule validate their own options.
const RULES = {
  port: rule("port_invalid", "the port", isIntegerBetween(0, 65_535), "give 0 to 65535"),
  seed: rule("seed_invalid", "the seed", isIntegerBetween(), "give a whole number"),
  jobSpeed: rule(
    "job_speed_invalid",
    "the job speed",
    (speed) => speed === "instant" || speed === "real",
    "give instant or real",
  ),
  maxUploadBytes: rule(
    "max_upload_invalid",
    "the largest upload",
    isIntegerBetween(1),
    "give a whole number of at least 1",
  ),
  grease: rule(
    "grease_invalid",
    "the grease",
    (grease) => Array.isArray(grease) && grease.every(isGreaseDimension),
    `give a list of ${GREASE_DIMENSIONS.join(", ")}`,
    JSON.stringify,
  ),
  webhookRetries: rule(
    "webhook_retries_invalid",
    "the webhook retries",
    (retries) => typeof retries === "string",
    "give standard, fast, none or a list such as 0,5s,5m",
    JSON.stringify,
  ),
  allowPublicWebhooks: rule(
    "allow_public_webhooks_invalid",
    "allowPublicWebhooks",
    (allowed) => typeof allowed === "boolean",
    "give true or false",
    JSON.stringify,
  ),
  webhookTimeoutMs: rule(
    "webhook_timeout_invalid",
    "the webhook timeout",
    isIntegerBetween(1, MAX_WEBHOOK_TIMEOUT_MS),
    `give 1 to ${MAX_WEBHOOK_TIMEOUT_MS} milliseconds`,
  ),
  requestLogSize: rule(
    "request_log_size_invalid",
    "the size of the request log",
    isIntegerBetween(0, MAX_REQUEST_LOG_SIZE),
    `give a whole number from 0 to ${MAX_REQUEST_LOG_SIZE}`,
  ),
  tempDir: rule(
    "temp_dir_invalid",
    "the folder for uploads",
    (path) => path === undefined || isDirectory(path as string),
    "give an existing folder, or none for that of the system",
  ),
} as const satisfies { readonly [Name in keyof SandboxOptions]?: OptionRule };

function checkOption(value: unknown, { isValid, code, message, hint }: OptionRule): void {
  if (!isValid(value)) throw usageError(code, message(value), { hint });
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
