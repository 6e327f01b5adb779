import type { Buffer } from "node:buffer";
import type { OperationInput, RawRequest } from "../../../../client/request.ts";
import type { LearningPort, LearningRequest, Observation } from "../../../../contract/mapping/learn/port.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { parseJsonText } from "../../../../domain/json.ts";
import type { Connection } from "../../../connection/connection.ts";
import { connect } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { DEFAULT_WAIT_MS } from "../../../records/wait-for-end.ts";

/** Guesses in one run. The reads that the table of operations has are not counted. */
const MAX_TRIALS = 40;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** A read that fails is an answer, too; the first 429 ends the run. */
const SINGLE_ATTEMPT = { maxAttempts: 1, maxPauseMs: 0 };

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
  let last: { readonly path: string; readonly observation: Observation } | undefined;
  const service = await connect(
    context,
    { ...connection, mapping: undefined },
    {
      ...options,
      retryPolicy: SINGLE_ATTEMPT,
      onResponse: ({ path }: RawRequest, { status, headers, body }) => {
        last = { path, observation: toObservation(status, headers, body) };
      },
    },
  );
  const read = async (request: LearningRequest): Promise<Observation | null> => {
    const from = last?.path ?? "/";
    last = undefined;
    try {
      if ("url" in request) {
        const path = toOwnPath(connection.baseUrl, from, request.url);
        if (path === null) return null;
        await service.client.sendRaw({ method: "GET", path });
      } else {
        const { operation, params, query } = request;
        const input: OperationInput = { ...(params && { params }), ...(query && { query }) };
        await service.client.send(operation, input);
      }
    } catch (error) {
      const isAnswer =
        error instanceof ClaimsError && last !== undefined && !ENDS.includes(error.status ?? 0);
      if (!isAnswer) throw error;
    }
    return (last as { readonly observation: Observation } | undefined)?.observation ?? null;
  };
  return { service, ...createBounds(context, read, options.timeout) };
}

const ENDS: readonly number[] = [401, 429];

const toObservation = (
  status: number,
  headers: Readonly<Record<string, string>>,
  body: Buffer | null,
): Observation => {
  const text = body?.toString("utf8") ?? "";
  return { status, headers, text, json: parseJsonText(text) };
};

/** Path and query below the base URL; null for another host: the credential is not sent there. */
function toOwnPath(baseUrl: string, from: string, target: string): string | null {
  const base = baseUrl.replace(/\/+$/, "");
  if (!URL.canParse(target, base + from)) return null;
  const { href } = new URL(target, base + from);
  return href.startsWith(`${base}/`) ? href.slice(base.length) : null;
}

/** The limits of a run: its guesses, and the wait for its jobs. */
function createBounds(
  context: Context,
  read: LearningPort["read"],
  timeout = DEFAULT_WAIT_MS,
): Pick<LearningPort, "read" | "try" | "pause"> & { trials(): number } {
  let trials = 0;
  let deadline: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  return {
    read,
    try(request) {
      if (trials >= MAX_TRIALS) return Promise.resolve(null);
      trials += 1;
      return read(request);
    },
    async pause() {
      deadline ??= context.now() + timeout;
      if (context.now() >= deadline) return false;
      await context.sleep(pauseMs, context.signal);
      pauseMs = Math.min(pauseMs * 1.25, MAX_PAUSE_MS);
      return true;
    },
    trials: () => trials,
  };
}
