import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Static } from "typebox";
import es003 from "../../../../fixtures/sample_es003.csv?text";
import type { Sandbox } from "../../../../sandbox/index.ts";
import type { createdEndpoint, testEvent } from "../../../contract/operations/webhooks.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { explain } from "../../../domain/webhooks/explain/explain.ts";
import { fingerprint } from "../../../domain/webhooks/fingerprint.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { connect, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { InputFile } from "../../files/input-file.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import { createListStyle, renderForTerminal, renderTableLines } from "../../output/blocks.ts";
import { shouldUseColour } from "../../output/format.ts";
import type { Block, ListColumn, Output } from "../../output/output.ts";
import { parseItems } from "../../records/paged-list.ts";
import { fetchJob, fetchReport } from "../diligence/job.ts";
import { reportBlocks } from "../diligence/report-card.ts";
import { sendSubmission } from "../diligence/submission.ts";
import { ADVANCED_COLUMNS, describeAdvance } from "../sandbox/clock.ts";
import { createTableColumns } from "../webhooks/deliveries/columns.ts";
import { renderVerdict } from "../webhooks/verify/verdict-view.ts";

const SELLER = "Harbor & Pine Trading, LLC";

/** The deadlines of the fixtures are near on this day. */
const DEMO_START = "2026-11-20T00:00:00Z";

/** How the demo reaches its sandbox, and how it prints. */
interface Demo {
  readonly service: Service;
  readonly sandbox: Sandbox;
  readonly style: { readonly colour: boolean; readonly width: number };
}

export async function runDemo(context: Context, { global, onEnd }: BaseInvocation): Promise<Output> {
  const sandbox = await startEmbeddedSandbox(context, { jobSpeed: "real", frozenAt: DEMO_START });
  onEnd(() => sandbox.close());
  const service = await connect(context, {
    baseUrl: sandbox.url,
    environment: "sandbox",
    credential: { kind: "api_key", key: sandbox.credentials.sandbox.apiKey },
  });
  onEnd(service.close);
  const { env, stdout, signal } = context;
  // The same text for people and pipes; only the colour differs.
  const colour = shouldUseColour({ flag: global.color, env, isTerminal: stdout.isTerminal });
  const result: Record<string, unknown> = {};
  const steps = runSteps({ service, sandbox, style: { colour, width: stdout.columns } }, result);
  if (!global.json) return { kind: "stream", isForTerminal: true, body: steps };
  for await (const _ of steps) signal.throwIfAborted();
  return { kind: "record", json: result, blocks: [] };
}

const showBlocks = ({ style }: Demo, blocks: readonly Block[]): string =>
  `\n${renderForTerminal(blocks, style)}`;

const showTitle = (demo: Demo, title: string): string =>
  showBlocks(demo, [{ kind: "paragraph", title, lines: [] }]);

const showLine = ({ style }: Demo, line: string): string =>
  renderForTerminal([{ kind: "paragraph", isAdvice: true, lines: [`  ${line}`] }], style);

const showCommand = (demo: Demo, line: string): string => showLine(demo, `$ ${line}`);

function showTable<T>({ style }: Demo, items: readonly T[], columns: readonly ListColumn<NoInfer<T>>[]) {
  const listStyle = { ...createListStyle(style.colour), width: style.width, onOmitted: () => {} };
  return renderTableLines(items, columns, listStyle);
}

/** With its command and the title, a part of 24 lines. */
const MAX_REPORT_LINES = 18;

function showReport(demo: Demo, report: unknown, jobId: string): string {
  const lines = showBlocks(demo, reportBlocks(report, jobId)).trimEnd().split("\n");
  const left = lines.length - MAX_REPORT_LINES;
  const shown = left > 0 ? [...lines.slice(0, MAX_REPORT_LINES), `  … ${left} more lines`] : lines;
  return `${shown.join("\n")}\n`;
}

async function* runSteps(demo: Demo, result: Record<string, unknown>): AsyncGenerator<string> {
  yield showLine(
    demo,
    "A sandbox of the partner API is running in this process. Nothing leaves this machine.",
  );
  yield showLine(
    demo,
    "Its clock shows 2026-11-20. Where you would wait for a job, the demo advances the clock.",
  );

  yield showTitle(demo, "1  Submit an ES-003 export, the file that importers download from ACE");
  const jobId = yield* submitSample(demo);
  const { record } = await fetchReport(demo.service, jobId);
  result.report = record;
  yield showReport(demo, record, jobId);

  result.webhook = yield* demonstrateWebhook(demo);

  yield showTitle(demo, "Your turn");
  yield showCommand(demo, "claims sandbox up");
  yield showLine(demo, "and in another terminal:");
  yield showCommand(demo, "claims diligence submit YOUR.csv --seller-name NAME --wait");
}

async function* submitSample(demo: Demo) {
  const name = "sample_es003.csv";
  yield showCommand(demo, `claims diligence submit ${name} --seller-name "${SELLER}" --protest-docs --wait`);
  const file = toInputFile(name, es003);
  const submission = { file, source: name, sellerName: SELLER, protestDocs: true };
  const { jobId } = await sendSubmission(demo.service, submission, {});
  const id = jobId ?? "";
  yield showLine(demo, `job ${id}`);
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
async function* pollUntilEnded(demo: Demo, id: string): AsyncGenerator<string> {
  const states: string[] = [];
  for (;;) {
    const { seen } = await fetchJob(demo.service, id);
    states.push(seen.state);
    if (categorizeState(seen.state) !== "pending")
      return yield showLine(demo, `${states.join(" → ")}, ${seen.rowsProcessed} rows read`);
    await demo.sandbox.clock.advance("next");
  }
}

/** The built-in receiver fails once, so that the demo shows a retry. */
const RECEIVER_PATH = "/_sandbox/sink/demo?times=1";
const EVENT = "partner.test";

/** Shows a retry of a delivery, and the effect of a changed body on its signature. */
async function* demonstrateWebhook(demo: Demo): AsyncGenerator<string, object> {
  const { sandbox } = demo;
  const { client, operations } = demo.service;
  yield showTitle(demo, "2  A webhook whose receiver is down at first");
  const url = sandbox.url + RECEIVER_PATH;
  yield showCommand(demo, `claims webhooks create "${url}" --event ${EVENT} --secret-file secret.txt -q`);
  const created = await client.send(operations.webhooks.create, {
    json: { label: "Demo", url, subscribedEvents: [EVENT], environmentScope: "sandbox" },
  });
  const endpoint = parseJsonResponse(created, "the endpoint") as Static<typeof createdEndpoint>;
  const { id: endpointId, signingSecret = "" } = endpoint;
  yield showLine(demo, endpointId);

  yield showCommand(demo, `claims webhooks test ${EVENT} --endpoint ${endpointId} -q`);
  const sent = await client.send(operations.webhooks.test, {
    json: { eventType: EVENT, environment: "sandbox", endpointId },
  });
  const { eventId, previews } = parseJsonResponse(sent, "the test event") as Static<typeof testEvent>;
  const { deliveryId = "" } = previews[0] ?? {};
  yield showLine(demo, eventId);
  const before = yield* showDelivery(demo, endpointId);
  yield showCommand(demo, "claims sandbox clock advance --to next");
  const advanced = await sandbox.clock.advance("next");
  yield showLine(demo, describeAdvance(advanced));
  yield* showTable(demo, advanced.ran, ADVANCED_COLUMNS);
  const after = yield* showDelivery(demo, endpointId);

  const { body, attempts } = await sandbox.webhooks.delivery(deliveryId);
  const received = {
    headers: attempts.at(-1)?.headers ?? [],
    secrets: [signingSecret],
    now: Date.parse(sandbox.clock.now()),
  };
  const signedBy = fingerprint(signingSecret);
  const facts = { signedBy, fingerprints: [signedBy], event: EVENT };

  yield showTitle(demo, "3  Verify the delivery");
  yield showCommand(demo, `claims webhooks verify --delivery ${deliveryId} --secret-file secret.txt`);
  const genuine = explain({ ...received, body: body ?? "" });
  yield showBlocks(demo, renderVerdict(genuine, facts));

  yield showTitle(demo, "4  Verify it with a body that was parsed and serialized again");
  yield showCommand(demo, "jq . body.json > printed.json");
  yield showCommand(
    demo,
    "claims webhooks verify --body printed.json --headers headers.txt --secret-file secret.txt",
  );
  const changed = explain({ ...received, body: `${JSON.stringify(JSON.parse(body ?? ""), null, 2)}\n` });
  yield showBlocks(demo, renderVerdict(changed, facts));
  return {
    endpointId,
    deliveryId,
    states: [before, after],
    verdict: genuine.verdict,
    changed: { verdict: changed.verdict, causes: changed.causes.map(({ id }) => id) },
  };
}

async function* showDelivery(demo: Demo, endpointId: string): AsyncGenerator<string, unknown> {
  const { client, operations } = demo.service;
  yield showCommand(demo, `claims webhooks deliveries --endpoint ${endpointId}`);
  const response = await client.send(operations.webhooks.deliveries, { query: { endpointId } });
  const items = parseItems(response, "the deliveries");
  const labels = new Map([[endpointId, "Demo"]]);
  yield* showTable(demo, items, createTableColumns({ now: Date.parse(demo.sandbox.clock.now()), labels }));
  return items[0]?.status ?? "none";
}
