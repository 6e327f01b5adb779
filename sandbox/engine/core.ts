import type { Store } from "../store/open.ts";
import type { RandomSource } from "./random.ts";
import type { Clock } from "./scheduler/clock.ts";
import type { Scheduler } from "./scheduler/scheduler.ts";

export interface EngineCore {
  readonly store: Store;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly random: RandomSource;
  readonly onError: (error: unknown) => void;
}
