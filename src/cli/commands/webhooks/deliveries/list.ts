import { usageError } from "../../../../domain/errors.ts";
import { DELIVERY_STATES } from "../../../../domain/webhooks/deliveries.ts";
import { isDryRun, openService } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import { findFiniteFormat, type GlobalOptions } from "../../../framework/options.ts";
import { pagingOptions, toPagedList } from "../../../records/paged-list.ts";
import { readServiceTime } from "./control.ts";
import { DELIVERIES, deliveryColumns, filterFields, listDeliveries } from "./delivery-list.ts";
import { watchDeliveries } from "./watch.ts";

export const deliveriesList = command({
  name: "deliveries",
  summary: "list webhook deliveries, newest first, or watch them",
  remote: "reads",
  output: "list",
  operation: ({ webhooks }) => webhooks.deliveries,
  options: {
    endpoint: { value: "endpoint", help: "only deliveries to this endpoint" },
    status: { value: "status", choices: DELIVERY_STATES, help: "only deliveries in this state" },
    event: { value: "event", help: "only deliveries of this event, such as partner.test" },
    watch: { help: "show changes until Ctrl-C; in a pipe, one line for each" },
    ...pagingOptions,
  },
  examples: [
    "claims webhooks deliveries",
    "claims webhooks deliveries --endpoint 4b1f… --status failed --all -q",
    "claims webhooks deliveries --watch",
    "claims webhooks deliveries --watch --ndjson | jq -c '[.id, .status, .attemptCount]'",
  ],
  async run(context, call) {
    const { global, options } = call;
    if (options.watch) refuseFiniteFormats(context, global, options.all);
    const service = await openService(context, call);
    if (options.watch) return watchDeliveries(context, service, global, options);
    // Only the output for people shows the time until the next attempt.
    const showsTime = context.stdout.isTerminal && !isDryRun(global);
    const now = showsTime ? await readServiceTime(context, service) : context.now();
    return toPagedList(context, listDeliveries(service, options), call, {
      operation: service.operations.webhooks.deliveries,
      noun: DELIVERIES,
      columns: deliveryColumns(now),
      emptyMessage: "no delivery yet; `claims webhooks test partner.test` sends one",
      filter: filterFields(options),
    });
  },
});

/** Formats that print after the last item print nothing with --watch, which has no last item. */
function refuseFiniteFormats({ stdout }: Context, global: GlobalOptions, all: boolean | undefined): void {
  const name = all === undefined ? findFiniteFormat(stdout, global) : "all";
  if (name === undefined) return;
  throw usageError("option_conflict", `--watch does not end, and excludes --${name}`, {
    hint: "leave it out; --ndjson prints each change as JSON",
  });
}
