import { statSync } from "node:fs";
import { tmpdir } from "node:os";
import { GREASE_DIMENSIONS, isGreaseDimension } from "../../src/contract/grease.ts";
import { ClaimsError } from "../../src/domain/errors.ts";
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

/** Milliseconds: ten minutes, so that a mistyped one does not hang a test for ever. */
const MAX_WEBHOOK_TIMEOUT_MS = 600_000;

/** Requests: what they are without their bodies fits into some hundred megabytes. */
const MAX_REQUEST_LOG_SIZE = 100_000;

/** How a sandbox starts: its options, checked, with every default filled in. */
export interface StartSettings {
  readonly port: number;
  readonly host: string;
  readonly onShutdownRequested: () => void;
  readonly engine: Omit<EngineOptions, "url">;
}

/** What a host supplies where the options do not. */
export interface HostRuntime {
  readonly now: () => number;
  /** Milliseconds since whenever, with fractions. */
  readonly stopwatch: () => number;
  readonly onError: (error: unknown) => void;
  readonly processes: Processes;
}

/** @throws ClaimsError of kind `usage` for options that make no sense */
export function parseStartOptions(options: SandboxOptions, surroundings: HostRuntime): StartSettings {
  const given = applyDefaults(options, surroundings);
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
      requestLog: { size: given.requestLogSize, stopwatch: surroundings.stopwatch },
      uploads: new Uploads({ parent: given.tempDir ?? tmpdir(), processes: surroundings.processes }),
      onError: given.onError,
    },
  };
}

/** An option that is undefined is one that was not given. */
function applyDefaults(options: SandboxOptions, surroundings: HostRuntime) {
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
    now = surroundings.now,
    tempDir,
    onShutdownRequested = () => undefined,
    onError = surroundings.onError,
  } = options;
  return {
    ...{ port, host, seed, frozenAt, jobSpeed, maxUploadBytes, grease, rateLimit, requestLogSize },
    ...{ webhookRetries, webhookTimeoutMs, allowPublicWebhooks },
    ...{ now, tempDir, onShutdownRequested, onError },
  };
}

/** What an option must be, and what is said of one that is not. */
interface OptionRule {
  readonly is: (value: unknown) => boolean;
  readonly code: string;
  readonly message: (value: unknown) => string;
  readonly hint: string;
}

const isIntegerBetween =
  (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) =>
  (value: unknown): boolean =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most;

// Those that are not here are read by what works with them: the clock, the rate limit, the schedule.
const RULES = {
  port: {
    is: isIntegerBetween(0, 65_535),
    code: "port_invalid",
    message: (port) => `the port cannot be ${port}`,
    hint: "give 0 to 65535",
  },
  seed: {
    is: isIntegerBetween(),
    code: "seed_invalid",
    message: (seed) => `the seed must be an integer, not ${seed}`,
    hint: "give a whole number",
  },
  jobSpeed: {
    is: (speed) => speed === "instant" || speed === "real",
    code: "job_speed_invalid",
    message: (speed) => `the job speed cannot be ${speed}`,
    hint: "give instant or real",
  },
  maxUploadBytes: {
    is: isIntegerBetween(1),
    code: "max_upload_invalid",
    message: (bytes) => `the largest upload cannot have ${bytes} bytes`,
    hint: "give a whole number of at least 1",
  },
  grease: {
    is: (grease) => Array.isArray(grease) && grease.every(isGreaseDimension),
    code: "grease_invalid",
    message: (grease) => `the grease cannot be ${JSON.stringify(grease)}`,
    hint: `give a list of ${GREASE_DIMENSIONS.join(", ")}`,
  },
  webhookRetries: {
    is: (retries) => typeof retries === "string",
    code: "webhook_retries_invalid",
    message: (retries) => `the retries cannot be ${JSON.stringify(retries)}`,
    hint: "give standard, fast, none or a list such as 0,5s,5m",
  },
  allowPublicWebhooks: {
    is: (allowed) => typeof allowed === "boolean",
    code: "allow_public_webhooks_invalid",
    message: (allowed) => `whether deliveries may be public cannot be ${JSON.stringify(allowed)}`,
    hint: "give true or false",
  },
  webhookTimeoutMs: {
    is: isIntegerBetween(1, MAX_WEBHOOK_TIMEOUT_MS),
    code: "webhook_timeout_invalid",
    message: (milliseconds) => `a receiver cannot have ${milliseconds} ms`,
    hint: `give 1 to ${MAX_WEBHOOK_TIMEOUT_MS} milliseconds`,
  },
  requestLogSize: {
    is: isIntegerBetween(0, MAX_REQUEST_LOG_SIZE),
    code: "request_log_size_invalid",
    message: (size) => `the journal cannot keep ${size} requests`,
    hint: `give a whole number from 0 to ${MAX_REQUEST_LOG_SIZE}`,
  },
  tempDir: {
    is: (path) => path === undefined || isDirectory(path as string),
    code: "temp_dir_invalid",
    message: (path) => `the folder for uploads cannot be ${path}`,
    hint: "give a folder that exists, or none for the system's",
  },
} as const satisfies { readonly [Name in keyof SandboxOptions]?: OptionRule };

function checkOption(value: unknown, { is, code, message, hint }: OptionRule): void {
  if (!is(value)) throw new ClaimsError("usage", code, message(value), { hint });
}

/** Also false for one that cannot be looked at. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
