import { ClaimsError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { EVENT_TYPES } from "../../../domain/webhooks/event-types.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { idempotencyKeyOption } from "../../framework/values.ts";
import type { Block } from "../../output/output.ts";
import { toRecordCard } from "../../output/record-card.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { describeJsonWrite } from "../../write-log/describe-write.ts";
import { sendLogged } from "../../write-log/send-logged.ts";

export const test = command({
  name: "test",
  summary: "have a synthetic event sent to the sandbox endpoints that subscribe to it, and show what is sent",
  remote: "writes",
  output: "record",
  arguments: [
    { name: "event", choices: EVENT_TYPES, help: "which one; `claims sandbox emit` sends any other" },
  ],
  options: {
    endpoint: { value: "endpoint", help: "to this endpoint alone, whatever it subscribes to" },
    ...idempotencyKeyOption,
  },
  examples: [
    "claims webhooks test partner.test",
    "claims webhooks test partner.credential.rotated --endpoint 4b1f… --json | jq -r .body",
  ],
  async run(context, call) {
    const { args, options } = call;
    const service = await openService(context, call);
    if (service.connection.environment === "production") throw productionError();
    const { client, operations } = service;
    const { test: operation } = operations.webhooks;
    const json = {
      eventType: args.event,
      environment: "sandbox" as const,
      ...(options.endpoint !== undefined && { endpointId: options.endpoint }),
    };
    const write = { ...(await describeJsonWrite(operation.id, json)), given: options.idempotencyKey };
    const answer = await sendLogged(context, service, write, (key) =>
      client.send(operation, { json, idempotencyKey: key }),
    );
    const sent = parseJsonResponse(answer, "test event");
    const { eventId } = Object(sent) as ServiceRecord;
    return {
      kind: "record",
      json: answer.body,
      id: typeof eventId === "string" ? eventId : null,
      blocks: isRecord(sent) ? renderEvent(sent) : [],
    };
  },
});

/** The event, and what each endpoint gets (interface §4: fields of the signed preview not shown). */
function renderEvent({ body, previews, ...event }: ServiceRecord): readonly Block[] {
  const shown = Array.isArray(previews) ? previews.filter(isRecord) : [];
  return [
    toRecordCard(event),
    ...shown.map(({ headers, ...preview }) =>
      toRecordCard({ ...preview, ...Object(headers) }, `To ${preview.url ?? "an endpoint"}`),
    ),
    ...(typeof body === "string"
      ? [{ kind: "paragraph", title: "Body", lines: body.split("\n") } as const]
      : []),
    { kind: "paragraph", title: "Next", isAdvice: true, lines: ["  claims webhooks deliveries"] },
  ];
}

/** Interface §4, §5.5: sandbox credentials are used. */
const productionError = (): ClaimsError =>
  new ClaimsError(
    "credential",
    "wrong_environment",
    "test events are for the sandbox, and this is production",
    {
      hint: "give --environment sandbox, and a sandbox credential",
    },
  );
