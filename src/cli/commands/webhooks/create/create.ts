import { ENVIRONMENT_SCOPES } from "../../../../domain/webhooks/endpoints.ts";
import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { chooseAlias, viaAliasOptions } from "../../../connection/broker-aliases.ts";
import { confirmProductionWrite, isDryRun, openService } from "../../../connection/service.ts";
import { command } from "../../../framework/command.ts";
import { requireContractFields } from "../../../framework/response-fields.ts";
import { printMessage } from "../../../output/stderr.ts";
import { describeJsonWrite } from "../../../write-log/describe-write.ts";
import { sendLogged } from "../../../write-log/send-logged.ts";
import { writeOptions } from "../../../write-log/write-options.ts";
import { renderCreatedEndpoint } from "./created-endpoint.ts";
import { openSecretDestinations, secretDestinationOptions } from "./secret-destinations.ts";
import { findWarnings, parseReceiverUrl } from "./subscription.ts";

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
    scope: {
      value: "scope",
      choices: ENVIRONMENT_SCOPES,
      help: "environment whose events to deliver",
      default: "that of the service",
    },
    ...secretDestinationOptions,
    ...viaAliasOptions,
    ...writeOptions,
  },
  examples: [
    "claims webhooks create https://hooks.example.com/claims --scope production --secret-file whsec.txt",
    "claims webhooks create http://127.0.0.1:3000/hook --label dev --event partner.test --store",
    "claims webhooks create http://127.0.0.1:3000/hook --json | jq -r .signingSecret",
  ],
  async run(context, call) {
    const { args, global, options } = call;
    const url = parseReceiverUrl(args.url);
    const alias = await chooseAlias(context, "webhooks.create", options);
    const service = await openService(context, call);
    const { client, connection, operations } = service;
    const { create: operation } = operations.webhooks;
    requireContractFields(global.fields, operation);
    await confirmProductionWrite(context, global, service);
    const json = {
      label: options.label ?? url.host,
      url: args.url,
      subscribedEvents: [...new Set(options.event ?? EVENT_TYPES)],
      environmentScope: options.scope ?? connection.environment,
    };
    for (const warning of findWarnings(json, connection)) printMessage(context, `warning: ${warning}`);
    const destinations = isDryRun(global)
      ? []
      : await openSecretDestinations(context, global, options, connection);
    const write = await describeJsonWrite(operation.id, json);
    try {
      const response = await sendLogged(context, service, write, options, (key) =>
        client.send(operation, { json, alias, idempotencyKey: key }),
      );
      return await renderCreatedEndpoint(context, response, destinations);
    } finally {
      for (const { release } of destinations) await release?.();
    }
  },
});
