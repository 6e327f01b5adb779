import { usageError } from "../../../../domain/errors.ts";
import { isLoopback } from "../../../../domain/net.ts";
import { isLinkLocal, isPrivateHost } from "../../../../domain/networks.ts";
import { findClosest } from "../../../../domain/text.ts";
import { ENVIRONMENT_SCOPES, type EnvironmentScope } from "../../../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES, isEventType } from "../../../../domain/webhooks/event-types.ts";
import { isLoopbackUrl } from "../../../connection/base-url.ts";
import type { Connection } from "../../../connection/connection.ts";
import { confirmProductionWrite, isDryRun, openService } from "../../../connection/service.ts";
import type { Context } from "../../../context.ts";
import { command } from "../../../framework/command.ts";
import type { GlobalOptions } from "../../../framework/options.ts";
import { confirm } from "../../../framework/prompts.ts";
import { requireContractFields } from "../../../framework/response-fields.ts";
import { printMessage } from "../../../output/stderr.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";
import { writeOptions } from "../../../write-log/write-options.ts";
import { parseReceiverUrl } from "../options.ts";
import { renderCreatedEndpoint } from "./created-endpoint.ts";
import { openSecretDestination, secretDestinationOptions } from "./secret-destination.ts";

export const create = command({
  name: "create",
  summary: "register a webhook endpoint, and keep its signing secret, which is shown once",
  remote: "writes",
  output: "record",
  operation: ({ webhooks }) => webhooks.create,
  arguments: [{ name: "url", help: "http or https URL of the receiver" }],
  options: {
    label: { value: "name", help: "name in lists", default: "the URL's host" },
    event: {
      value: "event",
      repeats: true,
      help: "exact name of an event to deliver; may repeat",
      default: `the ${EVENT_TYPES.length} published ones`,
    },
    anyEvent: { help: "also take a name that looks like a published one with a typing error" },
    scope: {
      value: "scope",
      choices: ENVIRONMENT_SCOPES,
      help: "environment whose events to deliver",
      default: "that of the service",
    },
    ...secretDestinationOptions,
    ...writeOptions,
  },
  examples: [
    "claims webhooks create https://hooks.example.com/claims --scope production --secret-file whsec.txt",
    "claims webhooks create http://127.0.0.1:3000/hook --label dev --event partner.test --secret-file whsec.txt",
    "claims webhooks create http://127.0.0.1:3000/hook --json | jq -r .signingSecret",
  ],
  async run(context, call) {
    const { args, global, options } = call;
    const url = parseReceiverUrl(args.url);
    const service = await openService(context, call);
    const { client, connection, operations } = service;
    const { create: operation } = operations.webhooks;
    requireContractFields(global.fields, operation);
    await confirmProductionWrite(context, global, service, `send the endpoint ${args.url}`);
    const json = {
      label: options.label ?? url.host,
      url: args.url,
      subscribedEvents: [...new Set(options.event ?? EVENT_TYPES)],
      environmentScope: options.scope ?? connection.environment,
    };
    if (!options.anyEvent) await refuseMisspelledEvents(context, global, json.subscribedEvents);
    for (const warning of [
      ...describeUnpublishedEvents(json.subscribedEvents),
      ...findHostWarnings(url, json.environmentScope, connection),
    ])
      printMessage(context, `warning: ${warning}`);
    const destination = isDryRun(global)
      ? null
      : await openSecretDestination(context, global, options, connection);
    const write = describeJsonWrite(operation.id, json);
    try {
      const response = await sendLogged(context, service, write, options, (key) =>
        client.send(operation, { json, idempotencyKey: key }),
      );
      return await renderCreatedEndpoint(context, response, destination);
    } finally {
      await destination?.release?.();
    }
  },
});

/** Letters that a typing error changes. */
const MAX_TYPING_ERROR = 2;

/** An endpoint cannot be deleted over the API, and a misspelled event never arrives. @throws ClaimsError `event_misspelled` */
async function refuseMisspelledEvents(
  context: Context,
  global: GlobalOptions,
  events: readonly string[],
): Promise<void> {
  for (const name of listUnpublished(events)) {
    const published = findClosest(name, EVENT_TYPES, MAX_TYPING_ERROR);
    if (published === null) continue;
    const problem = `${name} is not a published event, and ${published} is`;
    if (await confirm(context, global, `${problem}. Register ${name}?`)) continue;
    throw usageError("event_misspelled", `${problem}; no endpoint was registered`, {
      hint: `give --event ${published}, or --any-event if the service really sends ${name}`,
    });
  }
}

/** Interface §6, rule 3. */
const listUnpublished = (events: readonly string[]) => events.filter((name) => !isEventType(name));

export function describeUnpublishedEvents(events: readonly string[]): readonly string[] {
  const warnings = listUnpublished(events).map((name) => {
    const closest = findClosest(name, EVENT_TYPES);
    const advice = closest === null ? `use ${EVENT_TYPES.join(", ")}` : `did you mean ${closest}?`;
    return `${name} is not a published event, and no documentation says that the service sends it; ${advice}`;
  });
  return warnings.length > 0 ? [...warnings, NO_EVENT_OF_A_JOB] : [];
}

/** A person who subscribes to another event often waits for the end of a job (interface §6). */
const NO_EVENT_OF_A_JOB =
  "none of the four published events says that a job has ended; use `claims diligence wait`";

/** Interface §6, rule 2: the scope should be the environment of the receiver. */
function findHostWarnings({ hostname, protocol }: URL, scope: EnvironmentScope, { baseUrl }: Connection) {
  const isSandbox = isLoopbackUrl(baseUrl);
  if (isLinkLocal(hostname) && isSandbox)
    return [`${hostname} is a link-local address, and a sandbox never delivers there`];
  const events = scope === "all" ? "events of both environments" : `${scope}'s events`;
  if (isLoopback(hostname) || isPrivateHost(hostname))
    return scope === "sandbox"
      ? []
      : [`${hostname} is on this machine or a private network, and gets ${events}; use --scope sandbox`];
  const publicOnly = `a sandbox delivers to ${hostname} only if started with --allow-public-webhooks`;
  return [
    ...(protocol === "http:" ? [`deliveries to ${hostname} are not encrypted; use https`] : []),
    ...(isSandbox ? [publicOnly] : []),
  ];
}
