import type { RandomSource } from "./random.ts";
import type { Timekeeping } from "./scheduler/scheduler.ts";

export interface EngineCore extends Timekeeping {
  readonly random: RandomSource;
  readonly onError: (error: unknown) => void;
}
