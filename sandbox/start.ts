import { statSync } from "node:fs";
import { GREASE_DIMENSIONS, isGreaseDimension } from "../src/contract/grease.ts";
import { ClaimsError } from "../src/domain/errors.ts";
import { parseSchedule } from "../src/domain/webhooks/retry-schedule.ts";
import { Clock } from "./engine/clock.ts";
import type { EngineOptions } from "./engine/engine.ts";
import { seededRandom, unguessableRandom } from "./engine/random.ts";
import { parseQuota } from "./engine/rate-limit.ts";
import { isLoopback } from "./loopback.ts";
import type { SandboxOptions } from "./options.ts";

const MEBIBYTE = 1024 * 1024;

/** Milliseconds: ten minutes, so that a mistyped one does not hang a test for ever. */
const LONGEST_TIMEOUT = 600_000;

/** Requests: what they are without their bodies fits into some hundred megabytes. */
const LARGEST_JOURNAL = 100_000;

/** How a sandbox starts: its options, checked, with every default filled in. */
export interface Start {
  readonly port: number;
  readonly host: string;
  readonly onShutdownRequested: () => void;
  readonly engine: Omit<EngineOptions, "url">;
}

/** What a host supplies where the options do not. */
export interface Surroundings {
  readonly now: () => number;
  /** Milliseconds since whenever, with fractions. */
  readonly stopwatch: () => number;
  readonly onError: (error: unknown) => void;
}

/** Throws a usage error for options that make no sense. */
export function readOptions(options: SandboxOptions, surroundings: Surroundings): Start {
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
    journalSize = 1_000,
    now = surroundings.now,
    tempDir,
    onShutdownRequested = () => undefined,
    onError = surroundings.onError,
  } = options;
  check(isWhole(port, 0, 65_535), "port_invalid", `the port cannot be ${port}`, "give 0 to 65535");
  check(isWhole(seed), "seed_invalid", `the seed must be an integer, not ${seed}`, "give a whole number");
  check(
    jobSpeed === "instant" || jobSpeed === "real",
    "job_speed_invalid",
    `the job speed cannot be ${jobSpeed}`,
    "give instant or real",
  );
  check(
    isWhole(maxUploadBytes, 1),
    "max_upload_invalid",
    `the largest upload cannot have ${maxUploadBytes} bytes`,
    "give a whole number of at least 1",
  );
  check(
    Array.isArray(grease) && grease.every(isGreaseDimension),
    "grease_invalid",
    `the grease cannot be ${JSON.stringify(grease)}`,
    `give a list of ${GREASE_DIMENSIONS.join(", ")}`,
  );
  check(
    typeof webhookRetries === "string",
    "webhook_retries_invalid",
    `the retries cannot be ${JSON.stringify(webhookRetries)}`,
    "give standard, fast, none or a list such as 0,5s,5m",
  );
  check(
    typeof allowPublicWebhooks === "boolean",
    "allow_public_webhooks_invalid",
    `whether deliveries may be public cannot be ${JSON.stringify(allowPublicWebhooks)}`,
    "give true or false",
  );
  check(
    isWhole(webhookTimeoutMs, 1, LONGEST_TIMEOUT),
    "webhook_timeout_invalid",
    `a receiver cannot have ${webhookTimeoutMs} ms`,
    `give 1 to ${LONGEST_TIMEOUT} milliseconds`,
  );
  check(
    isWhole(journalSize, 0, LARGEST_JOURNAL),
    "journal_size_invalid",
    `the journal cannot keep ${journalSize} requests`,
    `give a whole number from 0 to ${LARGEST_JOURNAL}`,
  );
  check(
    tempDir === undefined || isFolder(tempDir),
    "temp_dir_invalid",
    `the folder for uploads cannot be ${tempDir}`,
    "give a folder that exists, or none for the system's",
  );
  return {
    port,
    host,
    onShutdownRequested,
    engine: {
      random: isLoopback(host) ? seededRandom(seed) : unguessableRandom(),
      grease,
      clock: new Clock(now, frozenAt),
      jobSpeed,
      maxUploadBytes,
      rateLimit: rateLimit === undefined ? null : parseQuota(rateLimit),
      webhooks: {
        schedule: parseSchedule(String(webhookRetries)),
        timeoutMs: webhookTimeoutMs,
        allowPublic: allowPublicWebhooks,
        wallClock: now,
      },
      journal: { size: journalSize, stopwatch: surroundings.stopwatch },
      tempDir,
      onError,
    },
  };
}

const isWhole = (value: number, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;

/** Also false for one that cannot be looked at. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function check(holds: boolean, code: string, message: string, hint: string): void {
  if (!holds) throw new ClaimsError("usage", code, message, { hint });
}
