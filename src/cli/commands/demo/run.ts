import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Static } from "typebox";
import es003 from "../../../../fixtures/sample_es003.csv?text";
import partial from "../../../../fixtures/scenario_partial.csv?text";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { DatasetRow } from "../../../contract/operations/diligence.ts";
import type { createdEndpoint, delivery, testEvent } from "../../../contract/operations/webhooks.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { headerValues } from "../../../domain/http-headers.ts";
import { formatDuration } from "../../../domain/times.ts";
import { explain } from "../../../domain/webhooks/explain/explain.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { listHeaders, SIGNATURE_HEADER } from "../../../domain/webhooks/headers.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { connect, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { renderForTerminal } from "../../output/blocks.ts";
import { shouldUseColour } from "../../output/format.ts";
import { type Block, type Output, toTable } from "../../output/output.ts";
import { parseItems } from "../../records/paged-list.ts";
import { fetchJob, fetchReport } from "../diligence/job.ts";
import { reportBlocks } from "../diligence/report-card.ts";
import { sendSubmission } from "../diligence/submission.ts";
import { renderVerdict } from "../webhooks/verify/verdict-view.ts";

const SELLER = "Harbor & Pine Trading, LLC";

/** The deadlines of the fixtures are near on this day. */
const DEMO_START = "2026-11-20T00:00:00Z";
const MAX_SHOWN_ROWS = 5;

export async function runDemo(context: Context, { global, onEnd }: BaseInvocation): Promise<Output> {
  const sandbox = await startEmbeddedSandbox(context, { jobSpeed: "real", frozenAt: DEMO_START });
  onEnd(() => sandbox.close());
  const service = await connect(context, {
    baseUrl: sandbox.url,
    environment: "sandbox",
    credential: { kind: "api_key", key: sandbox.credentials.sandbox.apiKey },
  });
  onEnd(service.close);
  const result: Record<string, unknown> = {};
  const steps = runSteps({ service, sandbox }, result);
  const { env, stdout, signal } = context;
  if (global.json) {
    for await (const _ of steps) signal.throwIfAborted();
    return { kind: "record", json: result, blocks: [] };
  }
  // The same text for people and pipes; only the colour differs.
  const colour = shouldUseColour({ flag: global.color, env, isTerminal: stdout.isTerminal });
  const style = { colour, width: stdout.columns };
  return { kind: "stream", isForTerminal: true, body: renderSteps(steps, style) };
}

async function* renderSteps(steps: AsyncIterable<DemoStep>, style: Parameters<typeof renderForTerminal>[1]) {
  for await (const step of steps)
    yield typeof step === "string" ? step : `\n${renderForTerminal(step, style)}`;
}

async function* runSteps(demo: DemoContext, result: Record<string, unknown>): AsyncGenerator<DemoStep> {
  const { service } = demo;
  const { client, operations } = service;
  yield showLine("A sandbox of the partner API is running in this process. Nothing leaves this machine.");
  yield showLine("Its clock shows 2026-11-20. Where you would wait for a job, the demo advances the clock.");

  yield showTitle("1  Submit an ES-003 export, the file that importers download from ACE");
  const first = yield* submitFixture(demo, "sample_es003.csv", es003);
  yield showCommand(`claims diligence report ${first}`);
  result.report = (await fetchReport(service, first)).record;
  // Without the next steps: the jobs end with the demo.
  yield reportBlocks(result.report, first).slice(0, -1);

  yield showTitle("2  Read the dataset");
  yield showCommand(`claims diligence dataset ${first} --json`);
  const dataset = await client.send(operations.diligence.dataset, { params: { jobId: first } });
  const { rows } = parseJsonResponse(dataset, "the dataset") as { rows: readonly DatasetRow[] };
  result.datasetRows = rows.length;
  const table = toTable({
    title: `${MAX_SHOWN_ROWS} of ${rows.length} entries`,
    columns: [
      { name: "line", align: "right" },
      { name: "entryNumber", title: "entry" },
      { name: "classification" },
      { name: "route" },
      { name: "nextDeadline", title: "deadline" },
    ],
    items: rows.slice(0, MAX_SHOWN_ROWS),
  });
  yield [table];

  yield showTitle("3  Resume a job that ends partial");
  yield showLine("The sandbox defers entries whose number begins with SBX-1 once.");
  const second = yield* submitFixture(demo, "scenario_partial.csv", partial);
  yield showCommand(`claims diligence resume ${second} --wait`);
  await client.send(operations.diligence.resume, { params: { jobId: second } });
  yield* pollUntilEnded(demo, second);
  result.resumed = (await fetchReport(service, second)).record;
  yield reportBlocks(result.resumed, second).slice(0, 1);

  result.webhook = yield* demonstrateWebhook(demo);

  yield showTitle("Your turn");
  yield showCommand("claims sandbox up");
  yield showCommand("claims diligence submit YOUR.csv --seller-name NAME --wait      (in another terminal)");
}

async function* submitFixture(demo: DemoContext, name: string, text: string) {
  yield showCommand(`claims diligence submit ${name} --seller-name "${SELLER}" --protest-docs --wait`);
  const file = toInputFile(name, text);
  const submission = { file, source: name, sellerName: SELLER, protestDocs: true };
  const { jobId, status } = await sendSubmission(demo.service, submission, {});
  const id = jobId ?? "";
  yield showLine(`${status}, job ${id}`);
  yield* pollUntilEnded(demo, id);
  return id;
}

function toInputFile(name: string, text: string): InputFile {
  const bytes = Buffer.from(text);
  return {
    name,
    displayName: name,
    path: null,
    size: bytes.length,
    stream: () => Readable.from([bytes]),
    chunks: () => Readable.from([bytes]),
    hash: async () => createHash("sha256").update(bytes).digest("hex"),
    close: async () => {},
  };
}

/** Polls until the job ends. Advances the sandbox's clock instead of waiting. */
async function* pollUntilEnded({ service, sandbox }: DemoContext, id: string): AsyncGenerator<DemoStep> {
  const states: string[] = [];
  for (;;) {
    const { seen } = await fetchJob(service, id);
    states.push(seen.state);
    if (categorizeState(seen.state) !== "pending")
      return yield showLine(`${states.join(" → ")}, ${seen.rowsProcessed} rows read`);
    await sandbox.clock.advance("next");
  }
}

/** The built-in receiver fails once, so that the demo shows a retry. */
const RECEIVER_PATH = "/_sandbox/sink/demo?times=1";
const EVENT = "partner.test";

/** Shows a retry of a delivery, and the effect of a changed body on its signature. */
async function* demonstrateWebhook(demo: DemoContext): AsyncGenerator<DemoStep, object> {
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
  const facts = { signedBy, fingerprints: [signedBy], event: EVENT };

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
  yield renderVerdict(changed, facts);
  return {
    endpointId,
    deliveryId,
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

interface DemoContext {
  readonly service: Service;
  readonly sandbox: Sandbox;
}

/** What the demo prints: text, or what a command shows. */
type DemoStep = string | readonly Block[];

const showTitle = (title: string): DemoStep => [{ kind: "paragraph", title, lines: [] }];

const showCommand = (line: string): DemoStep => `\n  $ ${line}\n`;

const showLine = (line: string): DemoStep => `  ${line}\n`;
