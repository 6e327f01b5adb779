import { ClaimsError } from "../../../../domain/errors.ts";
import { DELIVERY_STATES } from "../../../../domain/webhooks/deliveries.ts";
import { isDryRun, openService } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { pagingOptions, toPagedList } from "../../../records/paged-list.ts";
import { DELIVERIES, deliveryColumns, filterFields, listDeliveries } from "./delivery-list.ts";
import { readServiceTime } from "./sandbox-clock.ts";
import { watchDeliveries } from "./watch.ts";

export const deliveriesList = command({
  name: "deliveries",
  summary: "list webhook deliveries, the newest first, or watch them",
  remote: "reads",
  output: "list",
  options: {
    endpoint: { value: "endpoint", help: "only those to this endpoint" },
    status: { value: "status", choices: DELIVERY_STATES, help: "only those in this state" },
    event: { value: "event", help: "only those of this event, as in partner.test" },
    watch: { help: "stay, and show what changes until Ctrl-C; in a pipe, a line for each change" },
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
    // Only a person reads when the next attempt is due in words, as a clock has it that has to be asked for.
    const now =
      context.stdout.isTerminal && !isDryRun(global)
        ? await readServiceTime(context, service.connection.baseUrl)
        : context.now();
    return toPagedList(context, listDeliveries(service, options), options, {
      what: DELIVERIES,
      columns: deliveryColumns(now),
      empty: "no delivery yet; `claims webhooks test partner.test` sends one",
      filter: filterFields(options),
    });
  },
});

/** What is printed when all has come would never be printed. */
function refuseFiniteFormats(
  { stdout }: Context,
  { json, out, fields, ndjson, csv }: GlobalOptions,
  all: boolean | undefined,
): void {
  const fieldsOfTable = stdout.isTerminal && !ndjson && !csv ? fields : undefined;
  const [name] =
    Object.entries({ all, json, out, fields: fieldsOfTable }).find(([, is]) => is !== undefined) ?? [];
  if (name === undefined) return;
  throw new ClaimsError("usage", "not_watched", `--watch never comes to an end, and so takes no --${name}`, {
    hint: "leave it out; --ndjson prints each change as JSON",
  });
}
