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

/** Of each part, with its title and without the blank line before it. */
const MAX_PART_LINES = 24;

async function* renderSteps(steps: AsyncIterable<DemoStep>, style: Parameters<typeof renderForTerminal>[1]) {
  let count = 0;
  for await (const step of steps) {
    if ("title" in step) count = -1;
    const lines = (await renderStep(step, style)).trimEnd().split("\n");
    const left = MAX_PART_LINES - count;
    const isCut = lines.length > left;
    const shown = isCut ? lines.slice(0, left - 1) : lines;
    const more = isCut ? [`  … ${lines.length - shown.length} more lines`] : [];
    yield `${[...shown, ...more].join("\n")}\n`;
    count += shown.length + more.length;
  }
}

async function renderStep(step: DemoStep, style: Parameters<typeof renderForTerminal>[1]): Promise<string> {
  if ("title" in step)
    return `\n${renderForTerminal([{ kind: "paragraph", title: step.title, lines: [] }], style)}`;
  if ("line" in step)
    return renderForTerminal([{ kind: "paragraph", isAdvice: true, lines: [step.line] }], style);
  if ("blocks" in step) return `\n${renderForTerminal(step.blocks, style)}`;
  const { colour, width } = style;
  const listStyle = { ...createListStyle(colour), width, onOmitted: () => {} };
  const lines: string[] = [];
  for await (const line of renderTableLines(step.items, step.columns, listStyle)) lines.push(line);
  return lines.join("");
}

async function* runSteps(demo: DemoContext, result: Record<string, unknown>): AsyncGenerator<DemoStep> {
  const { service } = demo;
  yield showLine("A sandbox of the partner API is running in this process. Nothing leaves this machine.");
  yield showLine("Its clock shows 2026-11-20. Where you would wait for a job, the demo advances the clock.");

  yield showTitle("1  Submit an ES-003 export, the file that importers download from ACE");
  const jobId = yield* submitSample(demo);
  result.report = (await fetchReport(service, jobId)).record;
  yield { blocks: reportBlocks(result.report, jobId) };

  result.webhook = yield* demonstrateWebhook(demo);

  yield showTitle("Your turn");
  yield showCommand("claims sandbox up");
  yield showLine("and in another terminal:");
  yield showCommand("claims diligence submit YOUR.csv --seller-name NAME --wait");
}

async function* submitSample(demo: DemoContext) {
  const name = "sample_es003.csv";
  yield showCommand(`claims diligence submit ${name} --seller-name "${SELLER}" --protest-docs --wait`);
  const file = toInputFile(name, es003);
  const submission = { file, source: name, sellerName: SELLER, protestDocs: true };
  const { jobId } = await sendSubmission(demo.service, submission, {});
  const id = jobId ?? "";
  yield showLine(`job ${id}`);
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
  yield showTitle("2  A webhook whose receiver is down at first");
  const url = sandbox.url + RECEIVER_PATH;
  yield showCommand(`claims webhooks create "${url}" --event ${EVENT} --secret-file secret.txt -q`);
  const created = await client.send(operations.webhooks.create, {
    json: { label: "Demo", url, subscribedEvents: [EVENT], environmentScope: "sandbox" },
  });
  const endpoint = parseJsonResponse(created, "the endpoint") as Static<typeof createdEndpoint>;
  const { id: endpointId, signingSecret = "" } = endpoint;
  yield showLine(endpointId);

  yield showCommand(`claims webhooks test ${EVENT} --endpoint ${endpointId} -q`);
  const sent = await client.send(operations.webhooks.test, {
    json: { eventType: EVENT, environment: "sandbox", endpointId },
  });
  const { eventId, previews } = parseJsonResponse(sent, "the test event") as Static<typeof testEvent>;
  const { deliveryId = "" } = previews[0] ?? {};
  yield showLine(eventId);
  const before = yield* showDelivery(demo, endpointId);
  yield showCommand("claims sandbox clock advance --to next");
  const advanced = await sandbox.clock.advance("next");
  yield showLine(describeAdvance(advanced));
  yield showList(advanced.ran, ADVANCED_COLUMNS);
  const after = yield* showDelivery(demo, endpointId);

  const { body, attempts } = await sandbox.webhooks.delivery(deliveryId);
  const received = {
    headers: attempts.at(-1)?.headers ?? [],
    secrets: [signingSecret],
    now: Date.parse(sandbox.clock.now()),
  };
  const signedBy = fingerprint(signingSecret);
  const facts = { signedBy, fingerprints: [signedBy], event: EVENT };

  yield showTitle("3  Verify the delivery");
  yield showCommand(`claims webhooks verify --delivery ${deliveryId} --secret-file secret.txt`);
  const genuine = explain({ ...received, body: body ?? "" });
  yield { blocks: renderVerdict(genuine, facts) };

  yield showTitle("4  Verify it with a body that was parsed and serialized again");
  yield showCommand("jq . body.json > printed.json");
  yield showCommand(
    "claims webhooks verify --body printed.json --headers headers.txt --secret-file secret.txt",
  );
  const changed = explain({ ...received, body: `${JSON.stringify(JSON.parse(body ?? ""), null, 2)}\n` });
  yield { blocks: renderVerdict(changed, facts) };
  return {
    endpointId,
    deliveryId,
    states: [before, after],
    verdict: genuine.verdict,
    changed: { verdict: changed.verdict, causes: changed.causes.map(({ id }) => id) },
  };
}

async function* showDelivery(
  { sandbox, service: { client, operations } }: DemoContext,
  endpointId: string,
): AsyncGenerator<DemoStep, unknown> {
  yield showCommand(`claims webhooks deliveries --endpoint ${endpointId}`);
  const response = await client.send(operations.webhooks.deliveries, { query: { endpointId } });
  const items = parseItems(response, "the deliveries");
  const labels = new Map([[endpointId, "Demo"]]);
  yield showList(items, createTableColumns({ now: Date.parse(sandbox.clock.now()), labels }));
  return items[0]?.status ?? "none";
}

interface DemoContext {
  readonly service: Service;
  readonly sandbox: Sandbox;
}

/** What the demo prints: a title or line of its own, or what a command shows. */
type DemoStep =
  | { readonly title: string }
  | { readonly line: string }
  | { readonly blocks: readonly Block[] }
  | { readonly items: readonly never[]; readonly columns: readonly ListColumn<never>[] };

const showTitle = (title: string): DemoStep => ({ title });

const showCommand = (line: string): DemoStep => ({ line: `  $ ${line}` });

const showLine = (line: string): DemoStep => ({ line: `  ${line}` });

const showList = <T>(items: readonly T[], columns: readonly ListColumn<NoInfer<T>>[]) =>
  ({ items, columns }) as unknown as DemoStep;
