import type { Readable, Writable } from "node:stream";
import type { Runtime } from "../client/runtime.ts";
import type { Processes } from "../process/identity.ts";

export interface OutputStream {
  readonly writable: Writable;
  readonly isTerminal: boolean;
  /** Characters of a line; 0 if the terminal does not report them. */
  readonly columns: number;
  /** Default: no. */
  readonly hasColour?: boolean;
  /** What `printMessage` writes. Default: text. */
  readonly messages?: "text" | "warnings" | "ndjson";
  /** Those that the command has used: no message shows them, whatever a service repeats. */
  readonly secrets?: Set<string>;
}

export interface InputStream {
  readonly readable: Readable;
  readonly isTerminal: boolean;
  /** Whether this process may read keys: reading stops a process in the background. Default: if it is a terminal. */
  readonly canReadKeys?: boolean;
}

/** A child process of `sandbox up --detach`, `sandbox exec` or `conformance`. */
export interface ChildRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its working folder; ours without it. */
  readonly cwd?: string | undefined;
  /**
   * `inherit`: the child uses our terminal. `aside`: it has no stdin, and its output goes to our stderr. `silent`: it may
   * outlive us, and prints nothing. `detached`: it outlives us, and its stderr is a file. `captured`: it has no stdin, and
   * `onOutput` gets what it prints; signals go to its process group, which ends with it.
   */
  readonly mode:
    | { readonly kind: "inherit" | "aside" | "silent" }
    | { readonly kind: "captured"; readonly onOutput: (chunk: Uint8Array) => void }
    | { readonly kind: "detached"; readonly logFile: string };
}

export type ChildEnd = { readonly code: number } | { readonly signal: string };

export interface Child {
  readonly pid: number;
  readonly ended: Promise<ChildEnd>;
  kill(signal: string): void;
  /** Lets this process end before the child. */
  unref(): void;
}

/** A write that the service accepted, or whose outcome is unknown. */
export interface SentWrite {
  readonly isAccepted: boolean;
  readonly jobId: string | null;
}

/** The process, the clock and random numbers as arguments. `main.ts` creates it; no other module reads them directly. */
export interface Context extends Runtime {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  readonly platform: NodeJS.Platform;
  readonly version: string;
  /** What runs the program, as in `Node 20.19.0`. */
  readonly runtime: string;
  /** The command that starts this program, to which a command line is appended. */
  readonly self: readonly [program: string, ...args: string[]];
  /** Identifies the owners of locks, locators and logged writes. */
  readonly processes: Processes;
  /** Aborted by Ctrl-C, by a termination signal, and by a closed stdout. The reason is a `StopReason`. */
  readonly signal: AbortSignal;
  /** The writes that the service accepted, or may have accepted, in this run, by their keys. */
  readonly sentWrites?: Map<string, SentWrite>;
  /** Compiles WebAssembly, such as the HTTP parser, faster and with fewer optimizations, where that helps a few requests. */
  tuneForShortRun(): void;
  start(child: ChildRequest): Child;
  /** Runs another command line in this process. Resolves to its exit code. */
  run(argv: readonly string[], context: Context): Promise<number>;
}

export type StopReason = "SIGHUP" | "SIGINT" | "SIGTERM" | "EPIPE";
