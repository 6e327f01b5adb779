import { text } from "node:stream/consumers";
import type { DeliveryDetails } from "../../../../../sandbox/index.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { confirmProductionWrite, isDryRun, openService, type Service } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { requirePipedStdin } from "../../../files/input-file.ts";
import { aggregateErrors } from "../../../framework/aggregate-errors.ts";
import { command } from "../../../framework/command.ts";
import { parseDurationFlag } from "../../../framework/values.ts";
import { type ListColumn, type Output, toListOutput } from "../../../output/output.ts";
import { idOf, readItems, type ServiceRecord } from "../../../records/paged-list.ts";
import { parseRecordTime } from "../../../records/record-time.ts";
import { type ControlTarget, findControl, readControl } from "../../../sandbox-control/control.ts";
import { deliveryPath, sandboxOnlyError } from "./control.ts";
import { DELIVERIES, listDeliveries, matchesDeliveryFilter } from "./delivery-list.ts";
import { readServiceTime } from "./sandbox-clock.ts";
import { sortOldestFirst } from "./sort.ts";

/** Milliseconds: the answer comes after the attempt, and a receiver may take its time. */
const RESEND_TIMEOUT_MS = 90_000;

export const deliveriesResend = command({
  name: "deliveries resend",
  summary: "send deliveries once more, one attempt each; of a local sandbox only",
  remote: "writes",
  output: "list",
  arguments: [
    {
      name: "deliveries",
      help: "their ids; - reads them from stdin, one a line",
      isVariadic: true,
      isOptional: true,
    },
  ],
  options: {
    failed: { help: "those that have failed, in place of ids" },
    endpoint: { value: "endpoint", help: "with --failed: only those to this endpoint" },
    since: {
      value: "duration",
      parse: parseDurationFlag,
      help: "with --failed: only those that were tried last within this time: 2h",
    },
  },
  examples: [
    "claims webhooks deliveries resend 9c2a…",
    "claims webhooks deliveries resend --failed --since 2h --dry-run",
    "claims webhooks deliveries --status failed -q | claims webhooks deliveries resend -",
  ],
  async run(context, call) {
    const { args, global, options } = call;
    requireOneSelection(args.deliveries, options);
    if (global.print !== undefined) throw printUnsupportedError();
    // What would be sent again has to be looked up all the same.
    const looking = { ...global, dryRun: undefined, print: undefined };
    const service = await openService(context, { ...call, global: looking });
    await confirmProductionWrite(context, global, service);
    const control = await findControl(context, service.connection.baseUrl);
    if (!control) throw sandboxOnlyError(service, "sends a delivery again");
    const ids = options.failed
      ? await findFailedDeliveries(context, service, options)
      : await readDeliveryIds(context, args.deliveries);
    return isDryRun(global) ? renderDryRun(ids) : resendAll(context, control, ids, call.requestTimeout);
  },
});

const printUnsupportedError = (): ClaimsError =>
  new ClaimsError(
    "usage",
    "not_printable",
    "a resend is asked of a sandbox's control API, not of the service",
    {
      hint: "--dry-run lists what would be sent again",
    },
  );

interface ResendSelection {
  readonly failed: boolean | undefined;
  readonly endpoint: string | undefined;
  readonly since: number | undefined;
}

function requireOneSelection(ids: readonly string[], { failed, endpoint, since }: ResendSelection): void {
  if (!failed && (endpoint !== undefined || since !== undefined))
    throw selectionError("--endpoint and --since stand beside --failed alone");
  if (failed && ids.length > 0) throw selectionError("--failed and delivery ids exclude each other");
  if (!failed && ids.length === 0) throw selectionError("no delivery is named");
}

const selectionError = (message: string): ClaimsError =>
  new ClaimsError("usage", "which_deliveries", message, {
    hint: "give delivery ids, - for ids on stdin, or --failed",
  });

async function readDeliveryIds(context: Context, words: readonly string[]): Promise<readonly string[]> {
  const hint = "pipe ids in: `claims webhooks deliveries --status failed -q`";
  const lists = words.map(async (word) =>
    word === "-" ? (await text(requirePipedStdin(context, hint))).split(/\s+/).filter(Boolean) : [word],
  );
  return (await Promise.all(lists)).flat();
}

/** Of the credential's partner, the oldest first, as they were sent. */
async function findFailedDeliveries(
  context: Context,
  service: Service,
  { endpoint, since }: ResendSelection,
): Promise<readonly string[]> {
  const filter = { endpoint, status: "failed" };
  const now = await readServiceTime(context, service.connection.baseUrl);
  const found: ServiceRecord[] = [];
  for await (const delivery of readItems(listDeliveries(service, filter), DELIVERIES)) {
    const at = parseRecordTime(delivery.lastAttemptAt ?? delivery.createdAt);
    const isRecent = since === undefined || (at !== null && at >= now - since);
    if (matchesDeliveryFilter(filter)(delivery) && isRecent) found.push(delivery);
  }
  return sortOldestFirst(found)
    .map(idOf)
    .filter((id) => id !== null);
}

/** A delivery, and how it stands. */
interface ResendResult {
  readonly id: string;
  /** Null where nothing was sent. */
  readonly status: string | null;
  readonly response: number | string | null;
}

const COLUMNS: readonly ListColumn<ResendResult>[] = [
  { name: "id", isId: true },
  { name: "status", display: ({ status }) => status ?? "would be sent again" },
  { name: "response" },
];

const renderResults = (
  items: AsyncIterable<ResendResult> | Iterable<ResendResult>,
  failure?: () => ClaimsError | undefined,
): Output =>
  toListOutput<ResendResult>({
    items,
    columns: COLUMNS,
    idOf: ({ id }) => id,
    emptyMessage: "no delivery to send again",
    ...(failure && { failure }),
  });

const renderDryRun = (ids: readonly string[]): Output =>
  renderResults(ids.map((id) => ({ id, status: null, response: null })));

/** One after the other; one that cannot be sent does not keep the others from it. */
function resendAll(
  context: Context,
  control: ControlTarget,
  ids: readonly string[],
  timeout = RESEND_TIMEOUT_MS,
): Output {
  const failures: ClaimsError[] = [];
  async function* items(): AsyncGenerator<ResendResult> {
    for (const id of ids) {
      try {
        yield toResendResult(
          await readControl<DeliveryDetails>(
            context,
            control,
            "attempts",
            "POST",
            deliveryPath(id, "/resend"),
            {
              timeoutMs: timeout,
            },
          ),
        );
      } catch (error) {
        if (!(error instanceof ClaimsError) || error.kind === "interrupted") throw error;
        failures.push(error);
      }
    }
  }
  return renderResults(items(), () => aggregateErrors(failures, `${ids.length} deliveries`));
}

function toResendResult({ id, status, attempts }: DeliveryDetails): ResendResult {
  const last = attempts.at(-1);
  return { id, status: String(status), response: last?.responseStatus ?? last?.error?.code ?? null };
}
