import type * as schemas from "../../src/contract/control-responses.ts";
import type { ReadonlyStatic } from "../../src/contract/schemas.ts";

/** What the real service does and the sandbox does not. */
export type NotImitated = ReadonlyStatic<typeof schemas.notImitated>;
/** The service whose form the sandbox has. */
export type SandboxLike = ReadonlyStatic<typeof schemas.sandboxLike>;
