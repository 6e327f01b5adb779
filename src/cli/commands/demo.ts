import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { findJobId } from "../../client/job-id.ts";
import { type SeenJob, waitUntilEnded } from "../../client/wait.ts";
import type { DatasetRow } from "../../contract/diligence.ts";
import { command, type GlobalOptions } from "../command.ts";
import type { Context } from "../context.ts";
import { startEmbedded } from "../embedded-sandbox.ts";
import { wantsColour } from "../output/colour.ts";
import type { Block } from "../output/output.ts";
import { connect, type Service } from "../service.ts";
import { askForJob, parseAnswer } from "./diligence/job.ts";
import { reportBlocks } from "./diligence/report-card.ts";

const SELLER = "Harbor & Pine Trading, LLC";

/** The day the fixtures were made for: their deadlines are near then. */
const STORY_BEGINS = Date.parse("2026-11-20T00:00:00Z");

const SHOWN_ROWS = 5;

/** One step of the story: what it shows, and the command that would do it. */
interface Step {
  readonly title?: string;
  readonly command?: string;
  readonly line?: string;
  readonly blocks?: readonly Block[];
}

/** What the story came to, for `--json`. */
interface Told {
  report?: unknown;
  datasetRows?: number;
  resumed?: unknown;
}

export const demo = command({
  name: "demo",
  summary: "see the whole story in a few seconds, on a sandbox of its own",
  remote: false,
  options: {},
  examples: ["claims demo", "claims demo --json | jq .report.totals"],
  async run(context, { global, onEnd }) {
    const startedAt = context.now();
    const sandbox = await startEmbedded(context, {
      jobSpeed: "real",
      now: () => STORY_BEGINS + (context.now() - startedAt),
    });
    onEnd(() => sandbox.close());
    const service = await connect(context, {
      baseUrl: sandbox.url,
      environment: "sandbox",
      credential: { kind: "api_key", key: sandbox.credentials.sandbox.apiKey },
    });
    onEnd(service.close);
    const told: Told = {};
    const story = tell(context, service, told);
    if (!global.json) return { kind: "stream", body: written(context, global, story) };
    for await (const _ of story) context.signal.throwIfAborted();
    return { kind: "document", json: told, blocks: [] };
  },
});

async function* tell(context: Context, service: Service, told: Told): AsyncGenerator<Step> {
  yield { line: "A sandbox of the partner API is running inside this process. Nothing leaves this machine." };

  yield { title: "1  Submit an ES-003 export, the file importers pull from ACE" };
  const first = yield* submitted(context, service, "sample_es003.csv");
  yield { command: `claims diligence report ${first}` };
  const answer = await service.client.send(service.operations.diligence.report, { params: { jobId: first } });
  told.report = parseAnswer(answer, "the report");
  yield { blocks: reportBlocks(told.report) };

  yield { title: "2  Read it entry by entry" };
  yield { command: `claims diligence dataset ${first} --json` };
  const dataset = await service.client.send(service.operations.diligence.dataset, {
    params: { jobId: first },
  });
  const { rows } = parseAnswer(dataset, "the dataset") as { rows: readonly DatasetRow[] };
  told.datasetRows = rows.length;
  yield { blocks: [someRows(rows)] };

  yield { title: "3  A job that ends partial, and its resume" };
  yield { line: "Entry numbers that begin with SBX-1 tell the sandbox to put these entries off once." };
  const second = yield* submitted(context, service, "scenario_partial.csv");
  yield { command: `claims diligence resume ${second} --wait` };
  await service.client.send(service.operations.diligence.resume, { params: { jobId: second } });
  yield* followed(context, service, second);
  const resumed = await service.client.send(service.operations.diligence.report, {
    params: { jobId: second },
  });
  told.resumed = parseAnswer(resumed, "the report");
  yield { blocks: reportBlocks(told.resumed).slice(0, 1) };

  yield { title: "Your turn" };
  yield { command: "claims sandbox up" };
  yield { command: "claims diligence submit YOUR.csv --seller-name NAME --wait      (in another terminal)" };
}

/** Submits a fixture and follows the job to its end; resolves to its id. */
async function* submitted(context: Context, service: Service, fixture: string): AsyncGenerator<Step, string> {
  const path = join(context.packageDirectory, "fixtures", fixture);
  const { size } = await stat(path);
  yield { command: `claims diligence submit ${fixture} --seller-name "${SELLER}" --protest-docs --wait` };
  const answer = await service.client.send(service.operations.diligence.submit, {
    multipart: {
      fields: { seller_name: SELLER, requires_protest_documentation: "true" },
      file: { name: basename(path), contentType: "text/csv", size, open: () => createReadStream(path) },
    },
  });
  const id = findJobId(parseAnswer(answer, "the submission"), answer.headers.location) ?? "";
  yield { line: `${answer.status}, job ${id}` };
  yield* followed(context, service, id);
  return id;
}

/** Polls as `--wait` does, and tells every state it sees once. */
async function* followed(context: Context, service: Service, id: string): AsyncGenerator<Step> {
  const seen: SeenJob[] = [];
  await waitUntilEnded(() => askForJob(service, id), {
    surroundings: context,
    timeout: 60_000,
    signal: context.signal,
    onProgress: (job) => {
      if (seen.at(-1)?.state !== job.state) seen.push(job);
    },
  });
  const rows = seen.at(-1)?.rowsProcessed;
  yield { line: `${seen.map(({ state }) => state).join(" → ")}${rows ? `, ${rows} rows read` : ""}` };
}

function someRows(rows: readonly DatasetRow[]): Block {
  return {
    kind: "table",
    title: `${SHOWN_ROWS} of ${rows.length} entries`,
    columns: [
      { name: "line", align: "right" },
      { name: "entry" },
      { name: "classification" },
      { name: "route" },
      { name: "deadline" },
    ],
    rows: rows
      .slice(0, SHOWN_ROWS)
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
async function* written(
  { env, stdout }: Context,
  { color }: GlobalOptions,
  story: AsyncIterable<Step>,
): AsyncGenerator<string> {
  const { renderForTerminal } = await import("../output/blocks.ts");
  const colour = wantsColour({ flag: color, env, isTerminal: stdout.isTerminal });
  for await (const { title, command: shown, line, blocks } of story) {
    if (title !== undefined)
      yield renderForTerminal([{ kind: "card", title: `\n${title}`, rows: [] }], colour);
    if (shown !== undefined) yield `\n  $ ${shown}\n`;
    if (line !== undefined) yield `  ${line}\n`;
    if (blocks !== undefined) yield `\n${renderForTerminal(blocks, colour)}`;
  }
}
