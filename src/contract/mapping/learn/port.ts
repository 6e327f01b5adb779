import type { Operation } from "../../operations/operation.ts";
import type { ListItem } from "../list.ts";
import type { Mapping } from "../mapping.ts";

/** A response of the service, whatever its status. */
export interface Observation {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Undefined if it is not JSON. */
  readonly json: unknown;
}

export const isSuccess = (response: Observation | null): response is Observation =>
  response !== null && response.status >= 200 && response.status < 300;

export interface LearningRequest {
  readonly operation: Operation;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** A list as the client reads it by a mapping. */
export interface ReadList {
  readonly items: readonly ListItem[];
  readonly pages: number;
  /** What keeps the items from being complete, each once; null if nothing does. */
  readonly fault: string | null;
}

export interface Candidate {
  /** A value in the form that `--set` takes. */
  readonly value: string;
  /** What the service sent there, or what a trial showed. */
  readonly shows: string;
}

export interface Question {
  readonly key: string;
  readonly text: string;
  readonly candidates: readonly Candidate[];
}

/** A document that a read got. */
export interface LearnedDocument {
  readonly request: LearningRequest;
  readonly json: unknown;
}

/** What learning needs of its caller: it has no service and no terminal of its own. */
export interface LearningPort {
  /** What `read` and `try` got so far. */
  readonly documents: readonly LearnedDocument[];
  /** A read that the table of operations has, without a guess. */
  read(request: LearningRequest): Promise<Observation | null>;
  /** A read that tries a guess: at most 40 in a run. Null if none is left. */
  try(request: LearningRequest): Promise<Observation | null>;
  readList(operation: Operation, mapping: Mapping): Promise<ReadList>;
  /** By a mapping that is a guess. Null if none is left. */
  tryList(operation: Operation, mapping: Mapping): Promise<ReadList | null>;
  /** The value of the line; null leaves it open. */
  ask(question: Question): Promise<string | null>;
  /** Between two polls of a job. False when the time for it is over. */
  pause(): Promise<boolean>;
  note(text: string): void;
}
