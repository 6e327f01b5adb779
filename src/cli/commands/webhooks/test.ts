import { ClaimsError, credentialError, rephraseError } from "../../../domain/errors.ts";
import { isRecord } from "../../../domain/json.ts";
import { EVENT_TYPES } from "../../../domain/webhooks/event-types.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { openService, type Service } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { requireContractFields } from "../../framework/response-fields.ts";
import type { Block } from "../../output/output.ts";
import { toRecordCard } from "../../output/record-card.ts";
import { printMessage } from "../../output/stderr.ts";
import { explainEndpoints } from "../../records/disabled-endpoints.ts";
import type { ServiceRecord } from "../../records/paged-list.ts";
import { describeJsonWrite } from "../../write-log/describe-write.ts";
import { sendLogged } from "../../write-log/send-logged.ts";
import { writeOptions } from "../../write-log/write-options.ts";

export const test = command({
  name: "test",
  summary: "send a synthetic event to the sandbox endpoints that subscribe to it, and show what is sent",
  remote: "writes",
  output: "record",
  operation: ({ webhooks }) => webhooks.test,
  arguments: [{ name: "event", choices: EVENT_TYPES, help: "event; `claims sandbox emit` sends any other" }],
  options: {
    endpoint: { value: "endpoint", help: "send only to this endpoint, even if it does not subscribe" },
    ...writeOptions,
  },
  examples: [
    "claims webhooks test partner.test",
    "claims webhooks test partner.credential.rotated --endpoint 4b1f… --json | jq -r .body",
  ],
  async run(context, call) {
    const { args, options } = call;
    const service = await openService(context, call);
    // Interface §4, §5.5: this route takes sandbox credentials.
    if (service.connection.environment === "production")
      throw credentialError("wrong_environment", "test events need the sandbox, and this is production", {
        hint: "give --environment sandbox, and a sandbox credential",
      });
    const { client, operations } = service;
    const { test: operation } = operations.webhooks;
    requireContractFields(call.global.fields, operation);
    const json = {
      eventType: args.event,
      environment: "sandbox" as const,
      ...(options.endpoint !== undefined && { endpointId: options.endpoint }),
    };
    const write = describeJsonWrite(operation.id, json);
    const send = (key: string) => client.send(operation, { json, idempotencyKey: key });
    const response = await sendLogged(context, service, write, options, send).catch(async (error) => {
      throw await explainRefusal(service, error, json);
    });
    const event = parseJsonResponse(response, "test event");
    const { eventId } = Object(event) as ServiceRecord;
    if (!isRecord(event) && !service.isDryRun)
      printMessage(context, "the service accepted the test event, but its response has no fields");
    return {
      kind: "record",
      json: response.body,
      record: event,
      id: typeof eventId === "string" ? eventId : null,
      blocks: isRecord(event) ? renderEvent(event, context.stdout.isTerminal) : [],
    };
  },
});

/** Names the disabled endpoints that would get the event: they may be why it is refused. */
async function explainRefusal(service: Service, error: unknown, { eventType, endpointId }: ServiceRecord) {
  if (!(error instanceof ClaimsError) || error.kind !== "rejected") return error;
  const found = await explainEndpoints(service, ({ id, subscribedEvents }) =>
    endpointId ? id === endpointId : Array.isArray(subscribedEvents) && subscribedEvents.includes(eventType),
  );
  return found?.disabled.length ? rephraseError(error, { hint: found.disabled.join("; ") }) : error;
}

/** Headers that say nothing new of this event. */
const SAME_FOR_ALL = /^(?:content-type|user-agent|x-service-event)$/i;

/**
 * The event, and a card for each endpoint (interface §4 does not show the fields of the signed preview). On a terminal, short
 * names leave room for the whole signature, and the JSON of the body is not wrapped: a program that pastes it needs one line.
 */
function renderEvent({ body, previews, ...event }: ServiceRecord, isTerminal: boolean): readonly Block[] {
  const shown = Array.isArray(previews) ? previews.filter(isRecord) : [];
  return [
    { ...toRecordCard("event", event), record: { ...event, body } },
    ...shown.map(({ headers, ...preview }, index) => {
      const { url, ...ids } = preview;
      const own = Object.entries(Object(headers)).filter(([name]) => !SAME_FOR_ALL.test(name));
      const fields = Object.fromEntries([
        ...Object.entries(ids).map(([name, value]) => [name.replace(/Id$/, ""), value]),
        ...own.map(([name, value]) => [name.replace(/^X-Service-/i, "").toLowerCase(), value]),
      ]);
      const card = toRecordCard(`previews.${index}`, fields, `To ${url ?? "an endpoint"}`);
      return { ...card, record: { ...preview, headers } };
    }),
    ...(typeof body === "string" && isTerminal
      ? [{ kind: "paragraph", title: "Body", lines: body.split("\n") } as const]
      : []),
    { kind: "paragraph", title: "Next", isAdvice: true, lines: ["  claims webhooks deliveries"] },
  ];
}
