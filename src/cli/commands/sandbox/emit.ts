import { Buffer, isUtf8 } from "node:buffer";
import type { EmittedEvent } from "../../../../sandbox/index.ts";
import { ClaimsError } from "../../../domain/errors.ts";
import type { Context } from "../../context.ts";
import { readInput } from "../../files/input-file.ts";
import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";
import { readControl, requireControl } from "../../sandbox-control/control.ts";
import { environmentOption, sandboxNameOption } from "./options.ts";

/** A delivery of an event that was emitted. */
interface EmittedDelivery extends Omit<EmittedEvent, "deliveries"> {
  readonly deliveryId: string;
  readonly endpointId: string;
}

const NO_SUBSCRIBER = "no active endpoint subscribes to it there";

export const emit = command({
  name: "emit",
  summary: "let a sandbox emit an event, published or not, and list its deliveries",
  remote: false,
  output: "list",
  arguments: [{ name: "event", help: "its name, as in partner.test or claim.updated" }],
  options: {
    ...sandboxNameOption,
    ...environmentOption,
    data: { value: "json", help: "the data of its payload; @FILE reads it from a file, - from stdin ({})" },
    endpoint: { value: "endpoint", help: "the only endpoint that gets it, whatever it subscribes to" },
  },
  examples: [
    "claims sandbox emit partner.test",
    'claims sandbox emit claim.updated --data \'{"claimId":"c-1"}\' --endpoint 5b1e…',
    "claims sandbox wait --delivery $(claims sandbox emit partner.test -q)",
  ],
  async run(context, { args, options }) {
    const control = await requireControl(context, options.name);
    const { eventId, type, environment, deliveries } = await readControl<EmittedEvent>(
      context,
      control,
      "deliveries",
      "POST",
      "/emit",
      {
        body: {
          type: args.event,
          environment: options.in ?? "sandbox",
          ...(options.data !== undefined && { data: await readEventData(context, options.data) }),
          ...(options.endpoint !== undefined && { endpointId: options.endpoint }),
        },
      },
    );
    const receivers = deliveries.length > 0 ? "" : `: ${NO_SUBSCRIBER}`;
    printMessage(context, `emitted ${type} (event ${eventId}, ${environment})${receivers}`);
    return toListOutput<EmittedDelivery>({
      items: deliveries.map((delivery) => ({ ...delivery, eventId, type, environment })),
      columns: [
        { name: "deliveryId", title: "delivery", isId: true },
        { name: "endpointId", title: "endpoint" },
        { name: "eventId", isHidden: true },
      ],
      idOf: ({ deliveryId }) => deliveryId,
      emptyMessage: "nothing is delivered",
    });
  },
});

async function readEventData(context: Context, text: string): Promise<unknown> {
  const path = text.startsWith("@") ? text.slice(1) : text;
  const isGivenAsFile = path !== text || text === "-";
  const bytes = isGivenAsFile ? await readInput(context, path) : Buffer.from(text);
  if (!isUtf8(bytes)) throw invalidData("it is not UTF-8 throughout");
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw invalidData((cause as Error).message, cause);
  }
}

const invalidData = (why: string, cause?: unknown): ClaimsError =>
  new ClaimsError("usage", "invalid_json", `--data is not JSON: ${why}`, {
    hint: "write JSON, @FILE for a file that holds it, or - for stdin",
    cause,
  });
