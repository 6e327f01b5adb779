import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { findJobId } from "../../../client/job-id.ts";
import type { DatasetRow } from "../../../contract/diligence.ts";
import { categorizeState } from "../../../domain/diligence/states.ts";
import { startEmbeddedSandbox } from "../../connection/embedded-sandbox.ts";
import { parseJsonResponse } from "../../connection/json-response.ts";
import { connect } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { BaseInvocation } from "../../framework/command.ts";
import type { GlobalOptions } from "../../framework/options.ts";
import { renderForTerminal } from "../../output/blocks.ts";
import { shouldUseColour } from "../../output/colour.ts";
import { toTable } from "../../output/create-blocks.ts";
import type { Output } from "../../output/output.ts";
import { fetchJob, fetchReport } from "../diligence/job.ts";
import { reportBlocks } from "../diligence/report-card.ts";
import { type DemoContext, type DemoStep, demonstrateWebhook } from "./webhook.ts";

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
  const steps = runSteps({ service, sandbox, packageDirectory: context.packageDirectory }, result);
  if (!global.json) return { kind: "stream", isForTerminal: true, body: renderSteps(context, global, steps) };
  for await (const _ of steps) context.signal.throwIfAborted();
  return { kind: "record", json: result, blocks: [] };
}

async function* runSteps(demo: DemoContext, result: Record<string, unknown>): AsyncGenerator<DemoStep> {
  const { service } = demo;
  const { client, operations } = service;
  yield { line: "A sandbox of the partner API is running in this process. Nothing leaves this machine." };
  yield { line: "Its clock shows 2026-11-20. Where you would wait for a job, the demo advances the clock." };

  yield { title: "1  Submit an ES-003 export, the file that importers download from ACE" };
  const first = yield* submitFixture(demo, "sample_es003.csv");
  yield { command: `claims diligence report ${first}` };
  result.report = (await fetchReport(service, first)).record;
  // Without the next steps: the jobs end with the demo.
  yield { blocks: reportBlocks(result.report, first).slice(0, -1) };

  yield { title: "2  Read the dataset" };
  yield { command: `claims diligence dataset ${first} --json` };
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
  yield { blocks: [table] };

  yield { title: "3  Resume a job that ends partial" };
  yield { line: "The sandbox defers entries whose number begins with SBX-1 once." };
  const second = yield* submitFixture(demo, "scenario_partial.csv");
  yield { command: `claims diligence resume ${second} --wait` };
  await client.send(operations.diligence.resume, { params: { jobId: second } });
  yield* pollUntilEnded(demo, second);
  result.resumed = (await fetchReport(service, second)).record;
  yield { blocks: reportBlocks(result.resumed, second).slice(0, 1) };

  result.webhook = yield* demonstrateWebhook(demo);

  yield { title: "Your turn" };
  yield { command: "claims sandbox up" };
  yield { command: "claims diligence submit YOUR.csv --seller-name NAME --wait      (in another terminal)" };
}

/** Submits a fixture, follows the job to its end and returns its id. */
async function* submitFixture(demo: DemoContext, name: string): AsyncGenerator<DemoStep, string> {
  const { client, operations } = demo.service;
  const path = join(demo.packageDirectory, "fixtures", name);
  const { size } = await stat(path);
  yield { command: `claims diligence submit ${name} --seller-name "${SELLER}" --protest-docs --wait` };
  const response = await client.send(operations.diligence.submit, {
    multipart: {
      fields: { seller_name: SELLER, requires_protest_documentation: "true" },
      file: { name, contentType: "text/csv", size, open: () => createReadStream(path) },
    },
  });
  const id = findJobId(parseJsonResponse(response, "the submission"), response.headers.location) ?? "";
  yield { line: `${response.status}, job ${id}` };
  yield* pollUntilEnded(demo, id);
  return id;
}

/** Polls until the job ends. Advances the sandbox's clock instead of waiting. */
async function* pollUntilEnded({ service, sandbox }: DemoContext, id: string): AsyncGenerator<DemoStep> {
  const states: string[] = [];
  for (;;) {
    const { seen } = await fetchJob(service, id);
    states.push(seen.state);
    if (categorizeState(seen.state) !== "pending") {
      yield { line: `${states.join(" → ")}, ${seen.rowsProcessed} rows read` };
      return;
    }
    await sandbox.clock.advance("next");
  }
}

/** Renders the same text for people and pipes; only the colour differs. */
async function* renderSteps(
  { env, stdout }: Context,
  { color }: GlobalOptions,
  steps: AsyncIterable<DemoStep>,
): AsyncGenerator<string> {
  const colour = shouldUseColour({ flag: color, env, isTerminal: stdout.isTerminal });
  const style = { colour, width: stdout.columns };
  for await (const { title, command, line, blocks } of steps) {
    if (title !== undefined) yield `\n${renderForTerminal([{ kind: "paragraph", title, lines: [] }], style)}`;
    if (command !== undefined) yield `\n  $ ${command}\n`;
    if (line !== undefined) yield `  ${line}\n`;
    if (blocks !== undefined) yield `\n${renderForTerminal(blocks, style)}`;
  }
}
