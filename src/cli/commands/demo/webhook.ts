import type { Static } from "typebox";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { createdEndpoint, delivery, testEvent } from "../../../contract/webhooks.ts";
import { explain } from "../../../domain/webhooks/explain/explain.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { headerValues, listHeaders, SIGNATURE_HEADER } from "../../../domain/webhooks/headers.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import type { Service } from "../../connection/service.ts";
import { toTable } from "../../output/create-blocks.ts";
import { formatDuration } from "../../output/format-duration.ts";
import type { Block } from "../../output/output.ts";
import { parseItems } from "../../records/paged-list.ts";
import { renderVerdict } from "../webhooks/verify/verdict-view.ts";

/** The built-in receiver fails once. */
const RECEIVER_PATH = "/_sandbox/sink/demo?times=1";
const EVENT = "partner.test";

/** Shows a retry of a delivery, and the effect of a changed body on its signature. */
export async function* demonstrateWebhook(demo: DemoContext): AsyncGenerator<DemoStep, object> {
  const { sandbox } = demo;
  const { client, operations } = demo.service;
  yield showTitle("4  A webhook whose receiver is down at first");
  const url = sandbox.url + RECEIVER_PATH;
  yield showCommand(`claims webhooks create "${url}" --label Demo --event ${EVENT} --scope sandbox`);
  const created = await client.send(operations.webhooks.create, {
    json: { label: "Demo", url, subscribedEvents: [EVENT], environmentScope: "sandbox" },
  });
  const endpoint = parseJsonResponse(created, "the endpoint") as Static<typeof createdEndpoint>;
  const { id: endpointId, secretPrefix, signingSecret = "" } = endpoint;
  yield showLine(
    `${created.status}, endpoint ${endpointId}; the secret (${secretPrefix}…) is shown only once`,
  );

  yield showCommand(`claims webhooks test ${EVENT} --endpoint ${endpointId}`);
  const sent = await client.send(operations.webhooks.test, {
    json: { eventType: EVENT, environment: "sandbox", endpointId },
  });
  const { previews } = parseJsonResponse(sent, "the test event") as Static<typeof testEvent>;
  const { deliveryId = "", headers = {} } = previews[0] ?? {};
  yield showLine(`${sent.status}, delivery ${deliveryId}`);
  yield showLine(`${SIGNATURE_HEADER}: ${headerValues(listHeaders(headers), SIGNATURE_HEADER).join()}`);
  const before = yield* showDelivery(demo, endpointId);
  yield showCommand("claims sandbox clock advance --to next");
  const { from, to } = await sandbox.clock.advance("next");
  yield showLine(`the sandbox retried after ${formatDuration(Date.parse(to) - Date.parse(from))}`);
  const after = yield* showDelivery(demo, endpointId);

  const { body, attempts } = await sandbox.webhooks.delivery(deliveryId);
  const received = {
    headers: attempts.at(-1)?.headers ?? [],
    secrets: [signingSecret],
    now: Date.parse(sandbox.clock.now()),
  };
  const signedBy = fingerprint(signingSecret);
  const facts = { signedBy, fingerprints: [signedBy], event: EVENT, expected: [], caseFinding: null };

  yield showTitle("5  Verify the delivery");
  yield showCommand(`claims webhooks verify --delivery ${deliveryId} --secret-file secret.txt`);
  const genuine = explain({ ...received, body: body ?? "" });
  yield renderVerdict(genuine, facts);

  yield showTitle("6  Verify it with a body that was parsed and serialized again");
  yield showCommand("jq . body.json > printed.json");
  yield showCommand(
    "claims webhooks verify --body printed.json --headers headers.txt --secret-file secret.txt",
  );
  const changed = explain({ ...received, body: `${JSON.stringify(JSON.parse(body ?? ""), null, 2)}\n` });
  // Without the last block: the guide shows how to keep the raw body.
  yield renderVerdict(changed, facts).slice(0, -1);
  return {
    endpointId,
    deliveryId,
    // After each attempt.
    states: [before, after],
    verdict: genuine.verdict,
    changed: { verdict: changed.verdict, causes: changed.causes.map(({ id }) => id) },
  };
}

async function* showDelivery({ service: { client, operations } }: DemoContext, endpointId: string) {
  yield showCommand(`claims webhooks deliveries --endpoint ${endpointId}`);
  const response = await client.send(operations.webhooks.deliveries, { query: { endpointId } });
  const items = parseItems(response, "the deliveries") as unknown as readonly Static<typeof delivery>[];
  const table = toTable({
    columns: [
      { name: "eventType", title: "event" },
      { name: "status" },
      { name: "attemptCount", title: "attempts", align: "right" },
      { name: "lastResponseStatus", title: "last response", align: "right" },
      { name: "nextAttemptAt", title: "next attempt" },
    ],
    items,
  });
  yield [table];
  return items[0]?.status ?? "none";
}

export interface DemoContext {
  readonly service: Service;
  readonly sandbox: Sandbox;
}

/** What the demo prints: text, or what a command shows. */
export type DemoStep = string | readonly Block[];

export const showTitle = (title: string): DemoStep => [{ kind: "paragraph", title, lines: [] }];

export const showCommand = (line: string): DemoStep => `\n  $ ${line}\n`;

export const showLine = (line: string): DemoStep => `  ${line}\n`;
