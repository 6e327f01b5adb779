import type { Day } from "../entries/dates.ts";

export interface AssessmentOptions {
  /** The UTC date of the sandbox clock when the job was submitted (diligence-model, preamble). */
  readonly asOf: Day;
  /** Empty when none is given, as `check` allows: importers are then not compared. */
  readonly sellerName: string;
  readonly requiresProtestDocumentation: boolean;
}
