import { ENVIRONMENTS } from "../../../domain/environments.ts";
import { usageError } from "../../../domain/errors.ts";
import { describeDisabled } from "../../../domain/webhooks/endpoints.ts";
import { toListOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";

export const emit = defineControlCommand({
  name: "emit",
  prints: "EmittedDeliveries",
  summary: "emit an event, published or not, and list its deliveries",
  output: "list",
  arguments: [{ name: "event", help: "its name, as in partner.test or claim.updated" }],
  options: {
    in: { value: "environment", choices: ENVIRONMENTS, help: "environment of the event", default: "sandbox" },
    data: { value: "json", parse: parseEventData, help: "the data of its payload", default: "{}" },
    endpoint: { value: "endpoint", help: "deliver to this endpoint only, whatever it subscribes to" },
  },
  examples: [
    "claims sandbox emit partner.test",
    'claims sandbox emit claim.updated --data \'{"claimId":"c-1"}\' --endpoint 5b1e…',
    "claims sandbox wait --delivery $(claims sandbox emit partner.test -q)",
  ],
  async run(context, { args, options }, control) {
    const emitted = await control.send("POST /emit", "deliveries", {
      body: {
        type: args.event,
        environment: options.in ?? "sandbox",
        ...(options.data !== undefined && { dataJson: options.data }),
        ...(options.endpoint !== undefined && { endpointId: options.endpoint }),
      },
    });
    const { deliveries, ...event } = emitted;
    const receivers = deliveries.length > 0 ? "" : ": no active endpoint there subscribes to it";
    printMessage(context, `emitted ${event.type} (event ${event.eventId}, ${event.environment})${receivers}`);
    // The list waits for attempts in flight, which an event with a delivery must not.
    const endpoints = deliveries.length > 0 ? [] : await control.list("GET /endpoints");
    for (const endpoint of endpoints)
      if (endpoint.status === "disabled" && endpoint.subscribedEvents.includes(event.type))
        printMessage(context, describeDisabled(endpoint));
    return toListOutput({
      items: deliveries.map((delivery) => ({ ...delivery, ...event })),
      columns: [
        { name: "deliveryId", title: "delivery", isId: true },
        { name: "endpointId", title: "endpoint" },
        { name: "eventId", isHidden: true },
      ],
      emptyMessage: "no delivery",
    });
  },
});

/** Sent as it is: parsing would lose digits of a number. */
function parseEventData(text: string): string {
  try {
    JSON.parse(text);
    return text.trim();
  } catch (cause) {
    throw usageError("option_invalid", `--data is not JSON: ${(cause as Error).message}`, {
      option: "--data",
      hint: `write JSON, or --data "$(cat data.json)" for a file`,
      cause,
    });
  }
}
