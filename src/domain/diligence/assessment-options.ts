import type { Day } from "../entries/dates.ts";

/** What a submission says beside its file. */
export interface AssessmentOptions {
  /** UTC date of the clock when the job was submitted, never the wall clock (diligence-model, preamble). */
  readonly asOf: Day;
  /** `""` where none is given, as `check` allows: importers are then not compared. */
  readonly sellerName: string;
  readonly requiresProtestDocumentation: boolean;
}
