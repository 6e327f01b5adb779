import type * as schemas from "../../src/contract/control-responses.ts";
import type { ReadonlyStatic } from "../../src/contract/schemas.ts";

export type ClockState = ReadonlyStatic<typeof schemas.clockState>;
/** The last time that the state was written to the file of `claims sandbox up --state`. */
export type SavedState = ReadonlyStatic<typeof schemas.savedState>;
/** Why the latest saves of that file failed. */
export type SaveFailure = ReadonlyStatic<typeof schemas.saveFailure>;
/** What a sandbox holds. */
export type SandboxState = ReadonlyStatic<typeof schemas.sandboxState>;
/** A managed API key that replaced another one. */
export type RotatedCredential = ReadonlyStatic<typeof schemas.rotatedCredential>;
/** A sandbox after a restore; its credentials may have changed. */
export type RestoredState = ReadonlyStatic<typeof schemas.restoredState>;
/** The state, and the process that holds it. */
export type SandboxStatus = ReadonlyStatic<typeof schemas.sandboxStatus>;
