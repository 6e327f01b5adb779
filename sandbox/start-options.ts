import { tmpdir } from "node:os";
import { GREASE_DIMENSIONS, isGreaseDimension } from "../src/contract/grease.ts";
import { MAX_UPLOAD_MIB } from "../src/domain/entries/upload-limit.ts";
import { usageError } from "../src/domain/errors.ts";
import { isHostName, isLoopback } from "../src/domain/net.ts";
import { parseRetrySchedule } from "../src/domain/webhooks/retry-schedule.ts";
import type { Processes } from "../src/process/identity.ts";
import type { HostOptions } from "./api/host-options.ts";
import type { SandboxOptions } from "./api/sandbox.ts";
import {
  checkFields,
  type FieldChecks,
  FLAG,
  FUNCTION,
  integer,
  pattern,
  text,
  word,
} from "./engine/check-fields.ts";
import { seededRandom, unpredictableRandom } from "./engine/random.ts";
import { parseQuota } from "./engine/rate-limit.ts";
import { Clock } from "./engine/scheduler/clock.ts";
import { Uploads } from "./engine/uploads.ts";

const MEBIBYTE = 1024 * 1024;

/** Ten minutes: a typing error must not hang a test. */
const MAX_WEBHOOK_TIMEOUT_MS = 600_000;

/** Without bodies, they need some hundred megabytes. */
const MAX_REQUEST_LOG_SIZE = 100_000;

/** The default; a machine with IPv6 alone has only the second. */
const LOOPBACK_HOSTS = ["127.0.0.1", "::1"] as const;

export type StartSettings = ReturnType<typeof parseStartOptions>;

export interface HostRuntime {
  readonly now: () => number;
  /** Milliseconds with fractions; only differences matter. */
  readonly monotonicNow: () => number;
  readonly onError: (error: unknown) => void;
  readonly processes: Processes;
}

/** The validated options with all defaults; a mapping is validated where it is used. @throws ClaimsError of kind `usage` */
export function parseStartOptions(
  options: SandboxOptions,
  runtime: HostRuntime,
  { now = runtime.now, tempDir = tmpdir(), alsoOnIpv6 = false }: HostOptions,
) {
  const {
    port = 0,
    host,
    allowHosts = [],
    seed = 1,
    frozenAt,
    jobSpeed = "instant",
    maxUploadBytes = MAX_UPLOAD_MIB * MEBIBYTE,
    grease = [],
    mapping = null,
    rateLimit,
    webhookRetries = frozenAt === undefined ? "fast" : "standard",
    webhookTimeoutMs = 15_000,
    allowPublicWebhooks = false,
    requestLogSize = 1_000,
    onError = runtime.onError,
  } = options;
  // The first one that this machine has is taken.
  const hosts: readonly [string, ...string[]] = host === undefined ? LOOPBACK_HOSTS : [host];
  checkFields(options, OPTION_CHECKS, { what: "startSandbox()", noun: "option" });
  if (mapping !== null && grease.length > 0)
    throw usageError("option_conflict", "grease does not go with mapping, which fixes what grease varies", {
      hint: "leave out one of them",
    });
  return {
    port,
    hosts,
    secondHost: host === undefined && alsoOnIpv6 ? LOOPBACK_HOSTS[1] : null,
    allowHosts,
    grease: grease === "all" ? GREASE_DIMENSIONS : grease,
    mapping,
    engine: {
      random: isLoopback(hosts[0]) ? seededRandom(seed) : unpredictableRandom(),
      clock: new Clock(now, frozenAt),
      jobSpeed,
      maxUploadBytes,
      rateLimit: rateLimit === undefined ? null : parseQuota(rateLimit),
      webhooks: {
        schedule: parseRetrySchedule(webhookRetries),
        timeoutMs: webhookTimeoutMs,
        allowPublic: allowPublicWebhooks,
        wallClock: now,
      },
      requestLog: { size: requestLogSize, monotonicNow: runtime.monotonicNow },
      uploads: new Uploads(tempDir, runtime.processes),
      onError: guardOnError(onError, runtime.onError),
    },
  };
}

/** One that throws must not keep a caller waiting for its response. */
const guardOnError =
  (onError: (error: unknown) => void, warn: (error: unknown) => void) =>
  (error: unknown): void => {
    try {
      onError(error);
    } catch (thrown) {
      warn(error);
      if (thrown !== error) warn(thrown);
    }
  };

const isGrease = (value: unknown) =>
  value === "all" || (Array.isArray(value) && value.every(isGreaseDimension));

const isListOfHostNames = (value: unknown) =>
  Array.isArray(value) && value.every((name) => typeof name === "string" && isHostName(name));

const OPTION_CHECKS: FieldChecks<SandboxOptions> = {
  port: integer(0, 65_535),
  // An empty one would listen on every interface.
  host: pattern(/./, "the address of an interface, or a host name"),
  allowHosts: {
    isValid: isListOfHostNames,
    expected: 'a list of host names without a port, as in ["sandbox"]',
  },
  seed: integer(Number.MIN_SAFE_INTEGER),
  frozenAt: null,
  jobSpeed: word(["instant", "real"]),
  maxUploadBytes: integer(1),
  grease: { isValid: isGrease, expected: `"all" or a list of ${GREASE_DIMENSIONS.join(", ")}` },
  mapping: null,
  rateLimit: null,
  webhookRetries: text("standard, fast, none or a list such as 0,5s,5m"),
  webhookTimeoutMs: integer(1, MAX_WEBHOOK_TIMEOUT_MS, " milliseconds"),
  allowPublicWebhooks: FLAG,
  snapshot: null,
  requestLogSize: integer(1, MAX_REQUEST_LOG_SIZE),
  onError: FUNCTION,
};
