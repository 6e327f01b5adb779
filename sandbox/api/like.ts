import type * as schemas from "../../src/contract/control-responses.ts";
import type { ReadonlyStatic } from "../../src/contract/control-responses.ts";

/** What the real service does and the sandbox does not. */
export type NotImitated = ReadonlyStatic<typeof schemas.notImitated>;
/** What the service does otherwise than the contract, and so the sandbox. */
export type FormDifference = ReadonlyStatic<typeof schemas.formDifference>;
/** The service whose form the sandbox has. */
export type SandboxLike = ReadonlyStatic<typeof schemas.sandboxLike>;
