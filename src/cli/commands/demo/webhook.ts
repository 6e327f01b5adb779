import type { Static } from "typebox";
import type { createdEndpoint, delivery, testEvent } from "../../../contract/webhooks.ts";
import { explain } from "../../../domain/webhooks/explain/explain.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { headerValues, listHeaders, SIGNATURE_HEADER } from "../../../domain/webhooks/headers.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { formatDuration } from "../../output/format-duration.ts";
import type { Block } from "../../output/output.ts";
import { parseItems } from "../../records/paged-list.ts";
import { renderVerdict } from "../webhooks/verify/verdict-view.ts";
import type { DemoContext, DemoResult, DemoStep } from "./demo-step.ts";

/** The built-in receiver fails once. */
const RECEIVER_PATH = "/_sandbox/sink/demo?times=1";

const EVENT = "partner.test";

/** A webhook whose receiver is down at first, and what becomes of its signature when the body is touched. */
export async function* demonstrateWebhook(stage: DemoContext, told: DemoResult): AsyncGenerator<DemoStep> {
  yield { title: "4  A webhook whose receiver is down at first" };
  const { endpointId, secret } = yield* registerEndpoint(stage);
  const deliveryId = yield* sendTestEvent(stage, endpointId);
  const states = [yield* showDelivery(stage, endpointId)];
  yield { command: "claims sandbox clock advance --to next" };
  const { from, to } = await stage.sandbox.clock.advance("next");
  yield { line: `${formatDuration(Date.parse(to) - Date.parse(from))} later, the retry has been made` };
  states.push(yield* showDelivery(stage, endpointId));

  yield* verifyDelivery(stage, deliveryId, secret, (outcome) => {
    told.webhook = { endpointId, deliveryId, states, ...outcome };
  });
}

type Outcome = Pick<NonNullable<DemoResult["webhook"]>, "verdict" | "changed">;

/** The delivery as it was received, and again as a receiver has it that has parsed its body. */
async function* verifyDelivery(
  { sandbox }: DemoContext,
  deliveryId: string,
  secret: string,
  tell: (outcome: Outcome) => void,
): AsyncGenerator<DemoStep> {
  const { body, attempts } = await sandbox.webhooks.delivery(deliveryId);
  const received = {
    headers: attempts.at(-1)?.headers ?? [],
    secrets: [secret],
    now: Date.parse(sandbox.clock.now()),
  };
  const signedBy = fingerprint(secret);
  const verdictContext = {
    signedBy,
    fingerprints: [signedBy],
    event: EVENT,
    expected: [],
    caseFinding: null,
  };

  yield { title: "5  Verify what arrived" };
  yield { command: `claims webhooks verify --delivery ${deliveryId} --secret-file secret.txt` };
  const genuine = explain({ ...received, body: body ?? "" });
  yield { blocks: renderVerdict(genuine, verdictContext) };

  yield { title: "6  The same with a body that was parsed and printed again" };
  yield { command: "jq . body.json > printed.json" };
  yield {
    command: "claims webhooks verify --body printed.json --headers headers.txt --secret-file secret.txt",
  };
  const changed = explain({ ...received, body: `${JSON.stringify(JSON.parse(body ?? ""), null, 2)}\n` });
  // Without the last block, the lines that keep the raw body: they are in the README.
  yield { blocks: renderVerdict(changed, verdictContext).slice(0, -1) };
  const causes = changed.causes.map(({ id }) => id);
  tell({ verdict: genuine.verdict, changed: { verdict: changed.verdict, causes } });
}

async function* registerEndpoint({
  service: { client, operations },
  sandbox,
}: DemoContext): AsyncGenerator<DemoStep, { endpointId: string; secret: string }> {
  const url = sandbox.url + RECEIVER_PATH;
  yield { command: `claims webhooks create "${url}" --label Demo --event ${EVENT} --scope sandbox` };
  const answer = await client.send(operations.webhooks.create, {
    json: { label: "Demo", url, subscribedEvents: [EVENT], environmentScope: "sandbox" },
  });
  const {
    id,
    secretPrefix,
    signingSecret = "",
  } = parseJsonResponse(answer, "the endpoint") as CreatedEndpoint;
  yield { line: `${answer.status}, endpoint ${id}; its secret (${secretPrefix}…) is told this once` };
  return { endpointId: id, secret: signingSecret };
}

type CreatedEndpoint = Static<typeof createdEndpoint>;

async function* sendTestEvent(
  { service: { client, operations } }: DemoContext,
  endpointId: string,
): AsyncGenerator<DemoStep, string> {
  yield { command: `claims webhooks test ${EVENT} --endpoint ${endpointId}` };
  const answer = await client.send(operations.webhooks.test, {
    json: { eventType: EVENT, environment: "sandbox", endpointId },
  });
  const { previews } = parseJsonResponse(answer, "the test event") as Static<typeof testEvent>;
  const [preview] = previews;
  yield { line: `${answer.status}, delivery ${preview?.deliveryId}` };
  yield {
    line: `${SIGNATURE_HEADER}: ${headerValues(listHeaders(preview?.headers ?? {}), SIGNATURE_HEADER).join()}`,
  };
  return preview?.deliveryId ?? "";
}

/** Shows how the only delivery of the endpoint stands; resolves to its state. */
async function* showDelivery(
  { service: { client, operations } }: DemoContext,
  endpointId: string,
): AsyncGenerator<DemoStep, string> {
  yield { command: `claims webhooks deliveries --endpoint ${endpointId}` };
  const answer = await client.send(operations.webhooks.deliveries, { query: { endpointId } });
  const deliveries = parseItems(answer, "the deliveries") as unknown as readonly Static<typeof delivery>[];
  yield { blocks: [deliveryTable(deliveries)] };
  return deliveries[0]?.status ?? "none";
}

const deliveryTable = (deliveries: readonly Static<typeof delivery>[]): Block => ({
  kind: "table",
  columns: [
    { name: "event" },
    { name: "status" },
    { name: "attempts", align: "right" },
    { name: "last response", align: "right" },
    { name: "next attempt" },
  ],
  rows: deliveries.map(({ eventType, status, attemptCount, lastResponseStatus, nextAttemptAt }) => [
    ...[eventType, status, attemptCount, lastResponseStatus, nextAttemptAt],
  ]),
});
