import type { ApiResponse } from "../../../client/client.ts";
import { type JobProgress, readJobProgress } from "../../../client/wait.ts";
import type { BrokerAlias } from "../../../contract/aliases.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { ClaimsError, rephraseError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../../framework/options.ts";
import type { Output } from "../../output/output.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { printMessage } from "../../output/stderr.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { buildRequestBody } from "../../records/request-body.ts";
import { waitForEnd } from "../../records/wait-for-end.ts";
import { scanBlocks } from "./scan-blocks.ts";

/** What both commands take that have the portfolio scanned. */
export const scanOptions = {
  job: {
    value: "job",
    repeats: true,
    help: "only the entries of this diligence job; may repeat (all completed ones)",
  },
  wait: { help: "wait for the end, and show what was found" },
  ...createRecordOptions,
} as const satisfies OptionSpecs;

interface ScanCall extends BaseInvocation {
  readonly options: OptionValues<typeof scanOptions>;
}

/** What a command stands for by itself. */
interface ScanRequest {
  readonly mode: "full" | "delta";
  readonly baselineScanId?: string | undefined;
}

/** A scan as the service told it. */
interface ScanView {
  readonly id: string;
  readonly answer: ApiResponse;
  readonly record: ServiceRecord;
  readonly seen: JobProgress;
}

/** Has the portfolio scanned; with `--wait`, and in a sandbox that ends with the command, up to the end. */
export async function requestScan(context: Context, call: ScanCall, request: ScanRequest): Promise<Output> {
  const { global, options } = call;
  return createRecord(context, call, {
    what: "scan",
    operation: ({ scans }) => scans.create,
    json: await buildScanBody(context, request, options),
    blocks: scanBlocks,
    ...((options.wait || global.sandbox) && {
      onCreated: (service, id) => {
        printMessage(context, `scan ${id}`);
        return followScan(context, service, global, id);
      },
    }),
  });
}

/** A body that is given field by field, or whole, may name its mode itself: then it is what the command stands for. */
async function buildScanBody(
  context: Context,
  { mode, baselineScanId }: ScanRequest,
  options: ScanCall["options"],
): Promise<ServiceRecord> {
  const { job: jobIds, rawField = [], field = [], input } = options;
  const mayName = input !== undefined || [...rawField, ...field].some(({ path }) => path[0] === "mode");
  const flags = { ...(!mayName && { mode }), baselineScanId, jobIds };
  const body = { mode, ...(await buildRequestBody(context, flags, options)) };
  if (mode === "delta" && body.mode !== "delta") {
    throw new ClaimsError(
      "usage",
      "field_clash",
      "the body is not that of a delta scan: it has another mode",
      {
        hint: "leave the mode out, or send it with `claims scans create`",
      },
    );
  }
  return body;
}

/** The scan as it is. */
export async function fetchScan(
  { client, operations }: Service,
  id: string,
  alias?: BrokerAlias | undefined,
): Promise<ScanView> {
  const answer = await client.send(operations.scans.get, { params: { scanId: id }, alias });
  const told = parseJsonResponse(answer, `scan ${id}`);
  return { id, answer, record: isRecord(told) ? told : {}, seen: readJobProgress(told) };
}

export const renderScan = ({ id, answer, record }: ScanView, failure?: ClaimsError): Output => ({
  ...{ kind: "record", json: answer.body, id },
  ...{ blocks: scanBlocks(record, id), failure },
});

async function followScan(
  context: Context,
  service: Service,
  { timeout }: BaseInvocation["global"],
  id: string,
): Promise<Output> {
  try {
    const ask = () => fetchScan(service, id);
    const inWords = ({ state }: JobProgress) => state;
    const scan = await waitForEnd(context, { what: "the scan", ask, timeout, describe: inWords });
    const state = categorizeState(scan.seen.state);
    return renderScan(scan, state === "completed" ? undefined : notCompletedError(scan, state));
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    throw rephraseError(error, {
      hint: `the scan goes on without us: \`claims scans get ${quoteId(id)}\` shows it`,
    });
  }
}

const notCompletedError = ({ id, seen }: ScanView, state: "partial" | "failed" | "pending"): ClaimsError =>
  state === "pending"
    ? new ClaimsError("pending", "still_pending", `scan ${id} is still ${seen.state}`, {
        hint: `claims scans get ${quoteId(id)}`,
        retryable: true,
      })
    : new ClaimsError("unfinished_job", `scan_${state}`, `scan ${id} ended ${seen.state}`, {
        hint: `see it with \`claims scans get ${quoteId(id)} --json\``,
      });
