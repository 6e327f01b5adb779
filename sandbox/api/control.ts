import type {
  clockState,
  ReadonlyStatic,
  restoredState,
  rotatedCredential,
  sandboxState,
  sandboxStatus,
  savedState,
  saveFailure,
  sinkSummary,
} from "../../src/contract/control-responses.ts";

export type ClockState = ReadonlyStatic<typeof clockState>;
/** The last time that the state was written to the file of `claims sandbox up --state`. */
export type SavedState = ReadonlyStatic<typeof savedState>;
/** Why the latest saves of that file failed. */
export type SaveFailure = ReadonlyStatic<typeof saveFailure>;
/** What a sandbox holds. */
export type SandboxState = ReadonlyStatic<typeof sandboxState>;
/** A managed API key that replaced another one. */
export type RotatedCredential = ReadonlyStatic<typeof rotatedCredential>;
/** A sandbox after a restore; its credentials may have changed. */
export type RestoredState = ReadonlyStatic<typeof restoredState>;
export type SinkSummary = ReadonlyStatic<typeof sinkSummary>;
/** The state, and the process that holds it. */
export type SandboxStatus = ReadonlyStatic<typeof sandboxStatus>;
