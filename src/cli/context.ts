import type { Readable, Writable } from "node:stream";
import type { Runtime } from "../client/runtime.ts";
import type { Processes } from "../process/identity.ts";

/** A stream people or programs read from us. */
export interface OutputStream {
  readonly writable: Writable;
  readonly isTerminal: boolean;
  /** Characters a line holds; 0 for a terminal that does not know, as some programs offer one. */
  readonly columns: number;
}

export interface InputStream {
  readonly readable: Readable;
  readonly isTerminal: boolean;
}

/** A child process, as far as `sandbox up --detach` and `sandbox exec` need one. */
export interface ChildRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * `inherit`: the child shares our terminal. `aside`: it reads nothing, and all it prints goes to our stderr. `guard`: it
   * outlives us, reads what `write` gives it until we have ended, and prints nothing. `detached`: it outlives us; its stderr
   * goes to the file.
   */
  readonly mode:
    | { readonly kind: "inherit" | "aside" | "guard" }
    | { readonly kind: "detached"; readonly logFile: string };
}

/** How a child ended: a code, or the signal that ended it. */
export type ChildEnd = { readonly code: number } | { readonly signal: string };

export interface Child {
  readonly pid: number;
  readonly ended: Promise<ChildEnd>;
  kill(signal: string): void;
  /** To a guard. */
  write(text: string): void;
  /** Ends what a guard reads. */
  endInput(): void;
  /** Lets us end while a detached child goes on. */
  unref(): void;
}

/**
 * The world, as the edge (`main.ts`) hands it to a command. Nothing below reads the process, the clock or chance by
 * itself.
 */
export interface Context extends Runtime {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly homeDirectory: string;
  readonly temporaryDirectory: string;
  readonly platform: NodeJS.Platform;
  /** Where this package is installed: its fixtures lie below. */
  readonly packageDirectory: string;
  /** This program's own version. */
  readonly version: string;
  /** As in `20.19.0`. */
  readonly nodeVersion: string;
  /** How to start this program again: the node binary and the script. */
  readonly self: { readonly node: string; readonly script: string };
  /** Of which this run is one: locks, locators and the journal say whose they are by its identity. */
  readonly processes: Processes;
  /** Aborted by Ctrl-C, by a termination request, and when nobody reads stdout any more; the reason says which. */
  readonly signal: AbortSignal;
  /**
   * Trades the speed of WebAssembly that runs long for a sooner start: the HTTP parser of a command that sends a few
   * requests is WebAssembly, and optimising it would take longer than the command.
   */
  tuneForShortRun(): void;
  start(child: ChildRequest): Child;
}

/** Why a run was cut short. */
export type StopReason = "SIGINT" | "SIGTERM" | "EPIPE";
