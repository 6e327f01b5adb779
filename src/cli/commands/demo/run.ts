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
import type { Block, Output } from "../../output/output.ts";
import { fetchJob } from "../diligence/job.ts";
import { reportBlocks } from "../diligence/report-card.ts";
import type { DemoContext, DemoResult, DemoStep } from "./demo-step.ts";
import { demonstrateWebhook } from "./webhook.ts";

const SELLER = "Harbor & Pine Trading, LLC";

/** The day the fixtures were made for: their deadlines are near then. */
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
  const told: DemoResult = {};
  const story = runSteps({ service, sandbox, packageDirectory: context.packageDirectory }, told);
  if (!global.json) return { kind: "stream", isForTerminal: true, body: renderSteps(context, global, story) };
  for await (const _ of story) context.signal.throwIfAborted();
  return { kind: "record", json: told, blocks: [] };
}

async function* runSteps(stage: DemoContext, told: DemoResult): AsyncGenerator<DemoStep> {
  const { client, operations } = stage.service;
  yield { line: "A sandbox of the partner API is running inside this process. Nothing leaves this machine." };
  yield { line: "Its clock shows 2026-11-20; where you would wait for a job, the demo moves it on." };

  yield { title: "1  Submit an ES-003 export, the file importers pull from ACE" };
  const first = yield* submitFixture(stage, "sample_es003.csv");
  yield { command: `claims diligence report ${first}` };
  const answer = await client.send(operations.diligence.report, { params: { jobId: first } });
  told.report = parseJsonResponse(answer, "the report");
  // Without the advice on what to do next: these jobs end with the demo.
  yield { blocks: reportBlocks(told.report, first).slice(0, -1) };

  yield { title: "2  Read it entry by entry" };
  yield { command: `claims diligence dataset ${first} --json` };
  const dataset = await client.send(operations.diligence.dataset, {
    params: { jobId: first },
  });
  const { rows } = parseJsonResponse(dataset, "the dataset") as { rows: readonly DatasetRow[] };
  told.datasetRows = rows.length;
  yield { blocks: [sampleRows(rows)] };

  yield { title: "3  A job that ends partial, and its resume" };
  yield { line: "Entry numbers that begin with SBX-1 tell the sandbox to put these entries off once." };
  const second = yield* submitFixture(stage, "scenario_partial.csv");
  yield { command: `claims diligence resume ${second} --wait` };
  await client.send(operations.diligence.resume, { params: { jobId: second } });
  yield* pollUntilEnded(stage, second);
  const resumed = await client.send(operations.diligence.report, {
    params: { jobId: second },
  });
  told.resumed = parseJsonResponse(resumed, "the report");
  yield { blocks: reportBlocks(told.resumed, second).slice(0, 1) };

  yield* demonstrateWebhook(stage, told);

  yield { title: "Your turn" };
  yield { command: "claims sandbox up" };
  yield { command: "claims diligence submit YOUR.csv --seller-name NAME --wait      (in another terminal)" };
}

/** Submits a fixture and follows the job to its end; resolves to its id. */
async function* submitFixture(stage: DemoContext, fixture: string): AsyncGenerator<DemoStep, string> {
  const { client, operations } = stage.service;
  const path = join(stage.packageDirectory, "fixtures", fixture);
  const { size } = await stat(path);
  yield { command: `claims diligence submit ${fixture} --seller-name "${SELLER}" --protest-docs --wait` };
  const answer = await client.send(operations.diligence.submit, {
    multipart: {
      fields: { seller_name: SELLER, requires_protest_documentation: "true" },
      file: { name: fixture, contentType: "text/csv", size, open: () => createReadStream(path) },
    },
  });
  const id = findJobId(parseJsonResponse(answer, "the submission"), answer.headers.location) ?? "";
  yield { line: `${answer.status}, job ${id}` };
  yield* pollUntilEnded(stage, id);
  return id;
}

/** Polls until the job has ended, moving the sandbox's clock on where a person would wait. */
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

function sampleRows(rows: readonly DatasetRow[]): Block {
  return {
    kind: "table",
    title: `${MAX_SHOWN_ROWS} of ${rows.length} entries`,
    columns: [
      { name: "line", align: "right" },
      { name: "entry" },
      { name: "classification" },
      { name: "route" },
      { name: "deadline" },
    ],
    rows: rows
      .slice(0, MAX_SHOWN_ROWS)
      .map(({ line, entryNumber, classification, route, nextDeadline }) => [
        line,
        entryNumber,
        classification,
        route,
        nextDeadline,
      ]),
  };
}

/** The story as text; people and pipes read the same lines, only the colour differs. */
async function* renderSteps(
  { env, stdout }: Context,
  { color }: GlobalOptions,
  story: AsyncIterable<DemoStep>,
): AsyncGenerator<string> {
  const look = {
    colour: shouldUseColour({ flag: color, env, isTerminal: stdout.isTerminal }),
    width: stdout.columns,
  };
  for await (const { title, command: shown, line, blocks } of story) {
    if (title !== undefined) yield `\n${renderForTerminal([{ kind: "paragraph", title, lines: [] }], look)}`;
    if (shown !== undefined) yield `\n  $ ${shown}\n`;
    if (line !== undefined) yield `  ${line}\n`;
    if (blocks !== undefined) yield `\n${renderForTerminal(blocks, look)}`;
  }
}
