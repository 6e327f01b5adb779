import type { GreaseDimension } from "../../src/contract/grease.ts";
import { getContract } from "../../src/contract/openapi.ts";
import type { SandboxCredentials } from "../api/sandbox.ts";
import { Credentials } from "../store/credentials.ts";
import { findSecretsByPath } from "../store/endpoints.ts";
import { type Store, sandboxClosedError } from "../store/open.ts";
import { Faults } from "./faults/faults.ts";
import { ServiceVariant } from "./grease/service-variant.ts";
import { type JobSpeed, Jobs } from "./jobs/jobs.ts";
import type { RandomSource } from "./random.ts";
import { type Quota, RateLimit } from "./rate-limit.ts";
import { RequestLog, type RequestLogOptions } from "./request-log/request-log.ts";
import { Scans } from "./scans/scans.ts";
import type { Clock } from "./scheduler/clock.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { seed } from "./seed.ts";
import { Sinks, sinkPath } from "./sinks.ts";
import { Tokens } from "./tokens.ts";
import type { Uploads } from "./uploads.ts";
import { DeliveryWorker, type DeliveryWorkerOptions } from "./webhooks/delivery-worker.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

/** Everything behind the HTTP layer: what the handlers and the control API work with. */
export interface Engine {
  /** Where the sandbox answers. */
  readonly url: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly jobs: Jobs;
  readonly scans: Scans;
  readonly tokens: Tokens;
  readonly webhooks: Webhooks;
  readonly uploads: Uploads;
  readonly sinks: Sinks;
  readonly faults: Faults;
  /** Null where there is none. */
  readonly rateLimit: RateLimit | null;
  readonly requestLog: RequestLog;
  readonly random: RandomSource;
  /** What of the assumed the service does its own way. */
  readonly form: ServiceVariant;
  readonly apiKeys: Credentials;
  /** As they are now: a key can be rotated. */
  credentials: SandboxCredentials;
  readonly maxUploadBytes: number;
  /** The contract hash; made with its first use, for the document costs some milliseconds. */
  readonly contractVersion: () => string;
  readonly onError: (error: unknown) => void;
  /** Aborted when it closes: nobody is to wait for anything any more. */
  readonly closeSignal: AbortSignal;
  /** Makes jobs, scans and deliveries give up what is under way; those that begin later do not. */
  readonly abortWork: () => Promise<void>;
  /** Stops jobs and agenda, then removes store and files. */
  readonly close: () => Promise<void>;
}

export interface EngineOptions {
  /** Where the sandbox itself answers: the seeded endpoint is there. */
  readonly url: string;
  readonly webhooks: Pick<DeliveryWorkerOptions, "schedule" | "timeoutMs" | "allowPublic" | "wallClock">;
  readonly requestLog: Omit<RequestLogOptions, "clock">;
  readonly random: RandomSource;
  readonly grease: readonly GreaseDimension[];
  readonly clock: Clock;
  readonly jobSpeed: JobSpeed;
  readonly rateLimit: Quota | null;
  readonly maxUploadBytes: number;
  readonly uploads: Uploads;
  readonly onError: (error: unknown) => void;
}

export function createEngine(store: Store, options: EngineOptions): Engine {
  const { random, clock, uploads, onError, maxUploadBytes } = options;
  const scheduler = new Scheduler(store, clock, onError);
  const jobs = new Jobs({ store, clock, scheduler, random, speed: options.jobSpeed, onError });
  const scans = new Scans({ store, clock, scheduler, random, speed: options.jobSpeed, onError });
  const tokens = new Tokens({ store, clock, scheduler, random });
  const form = new ServiceVariant(options.grease, random);
  const worker = new DeliveryWorker({ store, clock, scheduler, random, form, ...options.webhooks });
  const webhooks = new Webhooks({ store, clock, scheduler, random, worker, form });
  const sinks = new Sinks({ clock, random, secretsFor: (sink) => findSecretsByPath(store, sinkPath(sink)) });
  const requestLog = new RequestLog({ clock, ...options.requestLog });
  const apiKeys = new Credentials();
  const { url } = options;
  const credentials = seed({ store, clock, apiKeys, random, webhooks, url });
  const closing = new AbortController();
  const abortWork = async () => {
    jobs.abort();
    scans.abort();
    await webhooks.abort();
  };
  return {
    url,
    store,
    clock,
    scheduler,
    jobs,
    scans,
    tokens,
    webhooks,
    uploads,
    sinks,
    faults: new Faults(random),
    rateLimit: options.rateLimit && new RateLimit(clock, options.rateLimit),
    requestLog,
    random,
    form,
    apiKeys,
    credentials,
    maxUploadBytes,
    contractVersion: () => getContract().hash,
    onError,
    closeSignal: closing.signal,
    abortWork,
    async close() {
      closing.abort(sandboxClosedError());
      const stopped = scheduler.stop();
      await abortWork();
      await stopped;
      await uploads.close();
      store.close();
    },
  };
}
