import { type JobProgress, readJobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { ClaimsError, rephraseError, usageError } from "../../../domain/errors.ts";
import { fetchRecord } from "../../connection/record-environment.ts";
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

export const scanOptions = {
  job: {
    value: "job",
    repeats: true,
    help: "scan the entries of this diligence job; repeat for several",
    default: "all completed jobs",
  },
  wait: { help: "wait until the scan ends, then show it" },
  ...createRecordOptions,
} as const satisfies OptionSpecs;

interface ScanInvocation extends BaseInvocation {
  readonly options: OptionValues<typeof scanOptions>;
}

type ScanRequest = { readonly mode: "full" | "delta"; readonly baselineScanId?: string | undefined };

/** Requests a scan. Waits for its end with `--wait`, and in a sandbox that stops with the command. */
export async function requestScan(context: Context, call: ScanInvocation, request: ScanRequest) {
  const { global, options } = call;
  return createRecord(context, call, {
    noun: "scan",
    operation: ({ scans }) => scans.create,
    json: await buildScanBody(context, request, options),
    blocks: scanBlocks,
    ...((options.wait || global.sandbox) && {
      onCreated: (service, id) => {
        printMessage(context, `scan ${id}`, { scanId: id });
        return followScan(context, service, global, id);
      },
    }),
  });
}

/** The mode is that of the command, unless the fields or the body name one. */
async function buildScanBody(
  context: Context,
  { mode, baselineScanId }: ScanRequest,
  options: ScanInvocation["options"],
): Promise<ServiceRecord> {
  const { job: jobIds, rawField = [], field = [], input } = options;
  const mayName = input !== undefined || [...rawField, ...field].some(({ path }) => path[0] === "mode");
  const flags = { ...(!mayName && { mode }), baselineScanId, jobIds };
  const body = { mode, ...(await buildRequestBody(context, flags, options)) };
  if (mode === "delta" && body.mode !== "delta") {
    throw usageError("option_conflict", "the mode in the body is not delta", {
      hint: "leave out the mode, or send the body with `claims scans create`",
    });
  }
  return body;
}

async function followScan(
  context: Context,
  service: Service,
  { timeout }: BaseInvocation["global"],
  id: string,
): Promise<Output> {
  const { get } = service.operations.scans;
  const fetchScan = async () => {
    const scan = await fetchRecord(service, get, { params: { scanId: id } }, `scan ${id}`);
    return { ...scan, seen: readJobProgress(scan.record) };
  };
  try {
    const describe = ({ state }: JobProgress) => state;
    const scan = await waitForEnd(context, service, { what: "the scan", ask: fetchScan, timeout, describe });
    const { body, record, seen } = scan;
    const blocks = scanBlocks(record, id);
    return { kind: "record", json: body, record, id, blocks, failure: checkEnd(id, seen) };
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    throw rephraseError(error, {
      hint: `the scan continues on the service; show it with \`claims scans get ${quoteId(id)}\``,
    });
  }
}

function checkEnd(id: string, { state }: JobProgress): ClaimsError | undefined {
  const category = categorizeState(state);
  if (category === "completed") return undefined;
  if (category === "pending") {
    const hint = `claims scans get ${quoteId(id)}`;
    return new ClaimsError("pending", "still_pending", `scan ${id} is still ${state}`, {
      hint,
      retryable: true,
    });
  }
  return new ClaimsError("unfinished_job", `scan_${category}`, `scan ${id} ended ${state}`, {
    hint: `show it with \`claims scans get ${quoteId(id)} --json\``,
  });
}
