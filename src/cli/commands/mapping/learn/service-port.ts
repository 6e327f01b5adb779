import type { Buffer } from "node:buffer";
import { readMonotonic } from "../../../../client/runtime.ts";
import {
  isSuccess,
  type LearnedDocument,
  type LearningPort,
  type LearningRequest,
  type Observation,
} from "../../../../contract/mapping/learn/port.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { parseExactJson } from "../../../../domain/json.ts";
import type { Connection } from "../../../connection/connection.ts";
import { connect } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { DEFAULT_WAIT_MS } from "../../../records/wait-for-end.ts";
import { readList } from "../read-service.ts";

/** Guesses in one run. The reads that the table of operations has are not counted. */
const MAX_TRIALS = 40;
/** A longer list is not learned from. */
const MAX_PAGES = 1_000;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** A read that fails is an answer, too; the first 429 ends the run. */
const SINGLE_ATTEMPT = { maxAttempts: 1, maxPauseMs: 0 };
const ENDS: readonly number[] = [401, 429];

/** The reads of `mapping learn`, without a mapping, one at a time. */
export async function openServicePort(
  context: Context,
  connection: Connection,
  options: {
    readonly timeout: number | undefined;
    readonly isDryRun: boolean;
    readonly verbose: boolean | undefined;
  },
) {
  let last: Observation | null = null;
  const service = await connect(
    context,
    { ...connection, mapping: undefined },
    {
      ...options,
      retryPolicy: SINGLE_ATTEMPT,
      onResponse: (_, response) => {
        last = toObservation(response);
      },
    },
  );
  const documents: LearnedDocument[] = [];
  const read = async (request: LearningRequest): Promise<Observation | null> => {
    const { operation, params, query } = request;
    last = null;
    try {
      await service.client.send(operation, { ...(params && { params }), ...(query && { query }) });
    } catch (error) {
      const isAnswer = error instanceof ClaimsError && last !== null && !ENDS.includes(error.status ?? 0);
      if (!isAnswer) throw error;
    }
    const response = last as Observation | null;
    if (isSuccess(response)) documents.push({ request, json: response.json });
    return response;
  };
  const readWhole: LearningPort["readList"] = (operation, mapping) =>
    readList(service.client, operation, mapping, MAX_PAGES);
  let trials = 0;
  const spend = (): boolean => {
    if (trials >= MAX_TRIALS) return false;
    trials += 1;
    return true;
  };
  const port = {
    documents,
    read,
    readList: readWhole,
    pause: createPause(context, options.timeout),
    try: async (request: LearningRequest) => (spend() ? read(request) : null),
    tryList: async (...list: Parameters<typeof readWhole>) => (spend() ? readWhole(...list) : null),
  };
  return { service, port, countTrials: () => trials };
}

export function toObservation(response: {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}): Observation {
  const text = response.body?.toString("utf8") ?? "";
  return { status: response.status, headers: response.headers, text, json: parseExactJson(text) };
}

/** The wait for the jobs of a run. */
function createPause(context: Context, timeout = DEFAULT_WAIT_MS): LearningPort["pause"] {
  let deadline: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  return async () => {
    deadline ??= readMonotonic(context) + timeout;
    if (readMonotonic(context) >= deadline) return false;
    await context.sleep(pauseMs, context.signal);
    pauseMs = Math.min(pauseMs * 1.25, MAX_PAUSE_MS);
    return true;
  };
}
