import type { RandomSource } from "./random.ts";
import type { SchedulerContext } from "./scheduler/scheduler.ts";
import type { SimulatedService } from "./service/simulated-service.ts";

/** What all parts of the engine share. */
export interface EngineCore extends SchedulerContext {
  readonly service: SimulatedService;
  readonly random: RandomSource;
  readonly onError: (error: unknown) => void;
}
