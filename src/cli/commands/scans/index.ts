import { type JobProgress, readJobProgress } from "../../../client/wait.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { ClaimsError, rephraseError } from "../../../domain/errors.ts";
import { isRecord, valueAt } from "../../../domain/json.ts";
import { fetchRecord } from "../../connection/record-environment.ts";
import type { Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { type BaseInvocation, command } from "../../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../../framework/options.ts";
import { formatCellText } from "../../output/cell-text.ts";
import { type Block, type ListColumn, type Output, toTable } from "../../output/output.ts";
import { formatMoney, toGradedBlocks, toRecordCard } from "../../output/record-card.ts";
import { quoteId } from "../../output/shell-quote.ts";
import { printMessage } from "../../output/stderr.ts";
import { createRecord, createRecordOptions } from "../../records/create-record.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { defineGetCommand } from "../../records/record-commands.ts";
import { waitForEnd } from "../../records/wait-for-end.ts";

const scanOptions = {
  job: {
    value: "job",
    repeats: true,
    help: "scan the entries of a diligence job: its id; repeat for several",
    default: "all completed jobs",
  },
  wait: { help: "wait until the scan ends, then show it" },
  ...createRecordOptions,
} as const satisfies OptionSpecs;

/** Requests a scan. Waits for its end with `--wait`, and in a sandbox that stops with the command. */
async function requestScan(
  context: Context,
  call: BaseInvocation & { readonly options: OptionValues<typeof scanOptions> },
  mode: "full" | "delta",
  baselineScanId?: string,
) {
  const { global, options } = call;
  // A delta scan is always one; the mode of another scan may be in the body.
  const isGiven = mode === "delta" || options.input === undefined;
  const fields = { mode: isGiven ? mode : undefined, baselineScanId, jobIds: options.job };
  return createRecord(context, call, {
    noun: "scan",
    operation: ({ scans }) => scans.create,
    fields,
    defaults: { mode },
    blocks: scanBlocks,
    ...((options.wait || global.sandbox) && {
      onCreated: (service, id) => {
        printMessage(context, `scan ${id}`, { scanId: id });
        return followScan(context, service, global, id);
      },
    }),
  });
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
    if (!(error instanceof ClaimsError) || error.kind === "not_found") throw error;
    throw rephraseError(error, {
      hint: `the scan continues on the service; show it with \`claims scans get ${quoteId(id)}\``,
    });
  }
}

function checkEnd(id: string, { state }: JobProgress): ClaimsError | undefined {
  const category = categorizeState(state);
  if (category === "completed") return undefined;
  const show = `claims scans get ${quoteId(id)}`;
  if (category === "pending")
    return new ClaimsError("pending", "still_pending", `scan ${id} is still ${state}`, {
      hint: show,
      retryable: true,
    });
  const hint = `show it with \`${show} --json\``;
  return new ClaimsError("unfinished_job", `scan_${category}`, `scan ${id} ended ${state}`, { hint });
}

const MAX_SHOWN_CHANGES = 20;

export function scanBlocks({ changes, ...scan }: ServiceRecord, id: string | null): readonly Block[] {
  const kinds = isRecord(changes) ? Object.entries(changes) : [];
  return [
    toRecordCard("scan", scan, ["Scan", id].filter(Boolean).join(" ")),
    ...kinds.flatMap(([kind, list]) => {
      const entries = Array.isArray(list) ? list.filter(isRecord) : [];
      return entries.length === 0 ? [] : [changesTable(kind, entries)];
    }),
    ...(id === null ? [] : [nextSteps(id, categorizeState(readJobProgress(scan).state) === "pending")]),
  ];
}

const nextSteps = (id: string, isPending: boolean): Block => ({
  kind: "paragraph",
  title: "Next",
  isAdvice: true,
  lines: (isPending ? ["get"] : ["summary", "delta"]).map((verb) => `  claims scans ${verb} ${quoteId(id)}`),
});

function changesTable(kind: string, entries: readonly ServiceRecord[]): Block {
  const many = entries.length > MAX_SHOWN_CHANGES;
  const shown = many ? `${MAX_SHOWN_CHANGES} of ${entries.length}` : entries.length;
  const title = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} (${shown})`;
  return toTable({
    section: kind,
    title,
    columns: CHANGE_COLUMNS,
    items: entries,
    maxRows: MAX_SHOWN_CHANGES,
  });
}

/** A removed entry has no state after the change: its last amounts are those before. */
const latest = ({ before, after }: ServiceRecord, name: string) =>
  valueAt(isRecord(after) ? after : before, name);

const CHANGE_COLUMNS: readonly ListColumn<ServiceRecord>[] = [
  { name: "entryNumber", title: "entry" },
  { name: "was", value: ({ before }) => valueAt(before, "classification") },
  { name: "is", value: ({ after }) => valueAt(after, "classification") },
  {
    name: "duty",
    align: "right",
    value: (change) => latest(change, "ieepaDutyCents"),
    display: (change) => formatMoney(latest(change, "ieepaDutyCents")),
  },
  { name: "deadline", value: (change) => latest(change, "nextDeadline") },
  {
    name: "fields",
    value: ({ changedFields: names }) => (Array.isArray(names) ? names.map(formatCellText).join(", ") : null),
  },
];

const create = command({
  name: "create",
  summary: "scan the portfolio: the entries of your completed diligence jobs",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  operation: ({ scans }) => scans.create,
  options: scanOptions,
  examples: [
    "claims scans create --wait",
    "claims scans create --job 7d9c… --job 51fe… -q",
    "claims scans summary $(claims scans create --wait -q)",
  ],
  run: (context, call) => requestScan(context, call, "full"),
});

const get = defineGetCommand({
  summary: "show a portfolio scan, with the changes that a delta scan found",
  noun: "scan",
  operation: ({ scans }) => scans.get,
  argument: { name: "scan", help: "scan id" },
  request: (scanId) => ({ params: { scanId } }),
  blocks: scanBlocks,
  examples: ["claims scans get 3c0e…", "claims scans get 3c0e… --json | jq -r .state"],
});

const summary = defineGetCommand({
  name: "summary",
  summary: "show the totals of a portfolio scan, with the number of changes",
  noun: "the summary of scan",
  operation: ({ scans }) => scans.summary,
  argument: { name: "scan", help: "scan id" },
  request: (scanId) => ({ params: { scanId } }),
  blocks: (summary, id) => toGradedBlocks("scan", `Scan ${id}`, summary),
  examples: ["claims scans summary 3c0e…", "claims scans summary 3c0e… --fields totals.estimatedClaimCents"],
});

const delta = command({
  name: "delta",
  summary: "scan the portfolio for changes since another scan",
  remote: "writes",
  waitsForJob: true,
  output: "record",
  operation: ({ scans }) => scans.create,
  arguments: [
    {
      name: "scan",
      help: "id of the scan to compare with",
      default: "the one in the body",
      isOptional: true,
    },
  ],
  options: scanOptions,
  examples: [
    "claims scans delta 3c0e… --wait",
    "claims scans delta --input delta.json",
    "claims scans delta 3c0e… --wait --json | jq '.changes.aged[].entryNumber'",
  ],
  run: (context, call) => requestScan(context, call, "delta", call.args.scan),
});

export const commands = [create, get, summary, delta];
