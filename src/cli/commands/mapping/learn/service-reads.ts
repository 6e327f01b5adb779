import type { ApiResponse } from "../../../../client/http/response.ts";
import type { Mapping } from "../../../../contract/mapping/mapping.ts";
import type { ReceivedResponse } from "../../../../contract/mapping/read.ts";
import type { Operation } from "../../../../contract/operations/operation.ts";
import { parseExactJson } from "../../../../domain/json.ts";
import type { Service } from "../../../connection/service.ts";
import { type ReadList, readList } from "../read-list.ts";

/** A response of the service, whatever its status. */
export interface Observation extends ReceivedResponse {
  readonly status: number;
  readonly text: string;
}

export const isSuccess = (response: Observation | null): response is Observation =>
  response !== null && response.status >= 200 && response.status < 300;

export function toObservation({ status, headers, body }: ApiResponse): Observation {
  const text = body.toString("utf8");
  return { status, headers, text, json: parseExactJson(text) };
}

interface ReadRequest {
  readonly operation: Operation;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Guesses in one run. The reads that the table of operations has are not counted. */
const MAX_TRIALS = 40;
/** A longer list is not learned from. */
const MAX_PAGES = 1_000;

/** What `mapping learn` reads, without a mapping and one at a time. The first 401 or 429 ends the run. */
export class ServiceReads {
  /** The documents that came, with the requests for them. */
  readonly documents: (ReadRequest & { readonly json: unknown })[] = [];
  trials = 0;
  readonly #client: Service["client"];

  constructor({ client }: Service) {
    this.#client = client;
  }

  /** A read without a guess. */
  async read(request: ReadRequest): Promise<Observation> {
    const response = toObservation(await this.#client.receive(request.operation, request));
    if (isSuccess(response)) this.documents.push({ ...request, json: response.json });
    return response;
  }

  /** A read that tries a guess. Null if none is left. */
  async try(request: ReadRequest): Promise<Observation | null> {
    return this.#spendTrial() ? this.read(request) : null;
  }

  readList(operation: Operation, mapping: Mapping): Promise<ReadList> {
    return readList(this.#client, operation, mapping, MAX_PAGES);
  }

  /** Reads a list by a mapping that is a guess. Null if none is left. */
  async tryList(operation: Operation, mapping: Mapping): Promise<ReadList | null> {
    return this.#spendTrial() ? this.readList(operation, mapping) : null;
  }

  #spendTrial(): boolean {
    if (this.trials >= MAX_TRIALS) return false;
    this.trials += 1;
    return true;
  }
}
