import type { Tone } from "./parts.tsx";
import type { Subject } from "./site.ts";

// What pictures of time show.

export interface Mark {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The end of what takes time. */
  readonly until?: number;
  readonly tone: Tone;
  readonly title: string;
  readonly subject: Subject | null;
}

export interface Lane {
  readonly name: string;
  /** In their order. */
  readonly marks: readonly Mark[];
}

export interface DueMark {
  /** RFC 3339 */
  readonly at: string;
  readonly text: string;
  /** Its name; by default the last one. */
  readonly lane?: string;
}

export interface Attempt {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly isSuccess: boolean;
}
