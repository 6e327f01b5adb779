import type { SandboxStatus, SaveFailure } from "./control.ts";
import type { Sandbox } from "./sandbox.ts";

/** What only the command line sets. */
export interface HostOptions {
  /** The wall clock, milliseconds since 1970. Default: `Date.now`, as it was when this module was loaded. */
  readonly now?: () => number;
  /** Parent directory of running uploads. Default: that of the system. */
  readonly tempDir?: string;
  /**
   * The `info.version` of the contract that the sandbox publishes, read at each use: with another one, the contract and the
   * `contractVersion` of reports and datasets have another hash. Default: undefined, for the version of this package.
   */
  readonly contractVersion?: () => string | undefined;
  /** Whether to listen on `::1` too, where this machine has it. Default: false. */
  readonly alsoOnIpv6?: boolean;
  /** Milliseconds. Default: 5 s, that of Node: the timers of a host may be faked. */
  readonly idleConnectionMs?: number;
  /** Saves the state before the response to `POST /_sandbox/shutdown`, which says why it could not be saved. */
  readonly saveBeforeShutdown?: (sandbox: Sandbox) => Promise<SaveFailure | null>;
  /** Called after that response; the caller closes the sandbox. */
  readonly onShutdownRequested?: () => void;
  /** For `GET /_sandbox/state`: how the caller saves the state. */
  readonly saves?: () => Pick<SandboxStatus, "saved" | "saveFailure">;
}
