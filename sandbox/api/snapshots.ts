// The states of a sandbox as whoever runs one sees them, from the handle and over the control API alike.

/** A state that was saved under a name. */
export interface SnapshotInfo {
  readonly name: string;
  /** RFC 3339, of the sandbox clock. */
  readonly takenAt: string;
  /** Of all tables together. */
  readonly rows: number;
}

/** One thing that differs between two states. */
export interface SnapshotChange {
  /** Which kind of thing, as in `job` or `delivery`. */
  readonly kind: string;
  readonly id: string;
  readonly change: "added" | "removed" | "changed";
  /** What of it changed; for a state or a status, from what to what. */
  readonly fields: readonly { readonly name: string; readonly from?: string; readonly to?: string }[];
}

export interface SnapshotDiff {
  /** RFC 3339 */
  readonly clock: { readonly from: string; readonly to: string };
  readonly changes: readonly SnapshotChange[];
}

/**
 * What the service that a sandbox plays remembers, saved in memory under a name, and as a document that another sandbox
 * can load. It has the secrets of the sandbox in it. The name `now` stands for the present state.
 */
export interface SandboxSnapshots {
  /** Waits for what runs inside the sandbox; a delivery that is under way is taken as one that has yet to begin. */
  save(name: string): Promise<SnapshotInfo>;
  /**
   * Puts the sandbox into that state; what is under way gives up. Its clock stands where it stood; one that runs keeps its
   * distance to the wall clock. Faults and the journal stay as they are.
   */
  load(name: string): Promise<void>;
  list(): readonly SnapshotInfo[];
  /** @param to default `now` */
  diff(from: string, to?: string): Promise<SnapshotDiff>;
  remove(name: string): void;
  /** As a document, in pieces: `writeFile(path, await sandbox.snapshots.export("now"), { mode: 0o600 })`. */
  export(name: string): Promise<Iterable<string>>;
  /** Saves a document under a name; nothing is loaded by that. */
  import(name: string, document: SnapshotSource): Promise<SnapshotInfo>;
}

/** A document of a snapshot: a file's stream, its pieces, or all of it. */
export type SnapshotSource =
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>
  | Uint8Array
  | string;
