import type {
  formDifference,
  notImitated,
  ReadonlyStatic,
  sandboxLike,
} from "../../src/contract/control-responses.ts";

/** What the real service does and the sandbox does not. */
export type NotImitated = ReadonlyStatic<typeof notImitated>;
/** What the service does otherwise than the contract, and so the sandbox. */
export type FormDifference = ReadonlyStatic<typeof formDifference>;
/** The service whose form the sandbox has. */
export type SandboxLike = ReadonlyStatic<typeof sandboxLike>;
