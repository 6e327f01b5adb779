import { randomUUID } from "node:crypto";
import type { SandboxCredentials } from "../api/sandbox.ts";
import { createCredentials, digestSecret } from "../store/credentials.ts";
import { ACCESS_TOKENS } from "../store/oauth-clients.ts";
import { type Store, sandboxClosedError } from "../store/store.ts";
import type { EngineCore } from "./core.ts";
import { createFaults } from "./faults/faults.ts";
import { createJobs, type JobSpeed } from "./jobs/jobs.ts";
import type { RandomSource } from "./random.ts";
import { createRateLimit, type Quota } from "./rate-limit.ts";
import { createRecentActivity } from "./recent-activity.ts";
import { RequestLog, type RequestLogOptions } from "./request-log/request-log.ts";
import { createScans } from "./scans/scans.ts";
import type { Clock } from "./scheduler/clock.ts";
import { ClockMover } from "./scheduler/clock-mover.ts";
import { createQuiescence } from "./scheduler/quiescence.ts";
import { Scheduler } from "./scheduler/scheduler.ts";
import { seedStore } from "./seed.ts";
import type { SimulatedService } from "./service/simulated-service.ts";
import { Sinks } from "./sinks.ts";
import type { Uploads } from "./uploads.ts";
import { DeliveryWorker, type DeliveryWorkerOptions } from "./webhooks/delivery-worker.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

/** Sandbox time (product.md §5). */
const TOKEN_LIFETIME_SECONDS = 3600;

function createTokens({ store, clock, scheduler, random }: EngineCore) {
  scheduler.handle("token.expire", (digest) => {
    ACCESS_TOKENS.update(store, { digest }, { hasExpired: true });
    return null;
  });
  return {
    issue(partner: number): { readonly token: string; readonly expiresIn: number } {
      const token = `at_sandbox_${random.hex("access_token", 24)}`;
      const digest = digestSecret(token);
      ACCESS_TOKENS.insert(store, { digest, partner });
      scheduler.schedule(clock.now() + TOKEN_LIFETIME_SECONDS * 1_000, "token.expire", digest);
      return { token, expiresIn: TOKEN_LIFETIME_SECONDS };
    },
  };
}

export interface EngineOptions {
  readonly url: string;
  readonly webhooks: Omit<DeliveryWorkerOptions, "nextTimelinePosition" | "onSettled">;
  readonly requestLog: Omit<RequestLogOptions, "clock" | "nextTimelinePosition" | "onEnd">;
  readonly random: RandomSource;
  readonly service: SimulatedService;
  readonly clock: Clock;
  readonly jobSpeed: JobSpeed;
  readonly rateLimit: Quota | null;
  readonly maxUploadBytes: number;
  readonly uploads: Uploads;
  readonly onError: (error: unknown) => void;
}

/** Everything behind the HTTP layer: what the handlers and the control API work with. */
export type Engine = ReturnType<typeof createEngine>;

export function createEngine(store: Store, options: EngineOptions) {
  const { url, clock, service, random, onError, uploads, maxUploadBytes } = options;
  const scheduler = new Scheduler(store, clock, onError);
  const core: EngineCore = { store, clock, scheduler, random, service, onError };
  const quiescence = createQuiescence(core);
  const recentActivity = createRecentActivity();
  const { nextTimelinePosition, record } = recentActivity;
  const jobs = createJobs(core, options.jobSpeed, (change) =>
    record({ kind: "job", timelinePosition: nextTimelinePosition(), ...change }),
  );
  const scans = createScans(core, options.jobSpeed);
  const worker = new DeliveryWorker(core, { nextTimelinePosition, onSettled: record, ...options.webhooks });
  const webhooks = new Webhooks(core, worker);
  const apiKeys = createCredentials();
  const credentials: SandboxCredentials = seedStore({ store, clock, apiKeys, random, webhooks, url });
  const closing = new AbortController();
  // The declarations cannot name the inferred type.
  const closeSignal: AbortSignal = closing.signal;
  const abortWork = async () => {
    jobs.abort();
    scans.abort();
    await worker.abort();
  };
  return {
    ...core,
    /** Names this state; random, so that no seed repeats it. Replaced by a reset and by a loaded snapshot. */
    instanceId: randomUUID() as string,
    url,
    clockMover: new ClockMover(core),
    quiescence,
    jobs,
    scans,
    tokens: createTokens(core),
    webhooks,
    uploads,
    sinks: new Sinks(core),
    faults: createFaults(random),
    rateLimit: options.rateLimit && createRateLimit(clock, options.rateLimit),
    requestLog: new RequestLog({ clock, nextTimelinePosition, onEnd: record, ...options.requestLog }),
    recentActivity,
    apiKeys,
    credentials,
    maxUploadBytes,
    closeSignal,
    /** Ends the jobs, scans and deliveries in progress, not those that start later. */
    abortWork,
    async close() {
      closing.abort(sandboxClosedError());
      scheduler.stop();
      const stopped = quiescence.whenIdle();
      await abortWork();
      await stopped;
      await uploads.close();
      store.close();
    },
  };
}
