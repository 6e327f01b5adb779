import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { bareEnvironment, fixture, runCli, temporaryFolder, useFastClock } from "../support/cli.ts";
import { IS_EXHAUSTIVE } from "../support/exhaustive.ts";
import { CODINGS } from "../support/services/coded-responses.ts";
import { ERRORS } from "../support/services/error-responses.ts";
import type { ForeignResponse, Reading } from "../support/services/foreign-response.ts";
import { JOBS, SUBMISSIONS } from "../support/services/job-responses.ts";
import { LISTS } from "../support/services/list-responses.ts";
import { JOB_ID, startService } from "../support/services/service.ts";
import { NOT_THE_SERVICE } from "../support/services/stray-responses.ts";

useFastClock();

const ENTRIES = fixture("sample_entries.csv");
const SUBMIT = ["diligence", "submit", ENTRIES, "--seller-name", "Acme"];
const SUBMIT_PATH = "/v1/diligence/submit";
const STATUS_PATH = `/v1/diligence/status/${JOB_ID}`;

/** A folder with one entry file. */
function createSource(): string {
  const source = join(temporaryFolder(), "entries");
  mkdirSync(source);
  copyFileSync(ENTRIES, join(source, "entries.csv"));
  return source;
}

interface Operation {
  /** The reading that decides; its own name otherwise. */
  readonly readingOf?: keyof ForeignResponse["readings"];
  readonly method: string;
  readonly path: string;
  readonly args: () => readonly string[];
}

const OPERATIONS = {
  submission: { method: "POST", path: SUBMIT_PATH, args: () => [...SUBMIT, "--json"] },
  batch: {
    readingOf: "submission",
    method: "POST",
    path: SUBMIT_PATH,
    args: () => ["diligence", "batch", createSource(), "--seller-name", "Acme"],
  },
  write: { method: "POST", path: "/v1/clients", args: () => ["clients", "create", "--name", "Acme"] },
  list: { method: "GET", path: "/v1/clients", args: () => ["clients", "list", "--all"] },
  ledger: { method: "GET", path: "/v1/revenue/ledger", args: () => ["revenue", "ledger", "--all"] },
  status: { method: "GET", path: STATUS_PATH, args: () => ["diligence", "status", JOB_ID, "--json"] },
} satisfies Record<string, Operation>;

type OperationName = keyof typeof OPERATIONS;

const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

/** All in exhaustive tests; otherwise every third, another third for the next operation, and at least one of each reading. */
const sample = <Row extends readonly [Reading, ForeignResponse]>(rows: readonly Row[], offset: number) => {
  const last = new Map(rows.map((row) => [row[0], row]));
  return rows.filter((row, index) => IS_EXHAUSTIVE || (index + offset) % 3 === 0 || last.get(row[0]) === row);
};

const readingOf = ({ readings }: ForeignResponse, name: OperationName): Reading | undefined => {
  const operation: Operation = OPERATIONS[name];
  return readings[operation.readingOf ?? (name as Exclude<OperationName, "batch">)] as Reading | undefined;
};

/** product.md §3, exit codes. */
const EXIT_CODES: Readonly<Record<Reading, readonly number[]>> = {
  accepted: [0],
  done: [0],
  complete: [0],
  job: [0],
  "accepted with unknown id": [10],
  "outcome unknown": [10],
  "outcome lost": [6, 10],
  "more rows": [5],
  "more rows at a link": [0, 5],
  unreadable: [5, 6],
  rejected: [5],
  "no permission": [4],
  "not found": [3],
  "try later": [6],
};

async function startForTest() {
  const service = await startService();
  onTestFinished(() => service.close());
  const env = {
    ...bareEnvironment(),
    CLAIMS_BASE_URL: service.url,
    CLAIMS_API_KEY: "key_of_another_service",
  };
  return { service, env };
}

const countRows = (stdout: string) => stdout.split("\n").length - 1;

/** What a run does that the reading of the response does not allow. */
async function findDifferences(
  response: ForeignResponse,
  name: OperationName,
  reading: Reading,
): Promise<readonly string[]> {
  const { method, path, args }: Operation = OPERATIONS[name];
  const isWrite = method === "POST";
  const { service, env } = await startForTest();
  if (response.secondPage !== undefined) service.respond(method, path, response, response.secondPage);
  else service.respondAlways(method, path, response);
  const { code, stdout, stderr } = await runCli(args(), { env });
  const output = `${stdout}${stderr}`;
  const differences: string[] = [];
  const requireThat = (condition: boolean, difference: string) => {
    if (!condition) differences.push(difference);
  };
  requireThat(EXIT_CODES[reading].includes(code ?? -1), `exit ${code}`);
  const isSuccess = ["accepted", "done", "complete"].includes(reading);
  const { shows, hides, jobId, rows } = response;
  if (shows !== undefined && !isSuccess)
    requireThat(output.toLowerCase().includes(shows.toLowerCase()), `does not show "${shows}"`);
  if (hides !== undefined) requireThat(!output.includes(hides), `shows "${hides}"`);
  if (isWrite && jobId !== undefined)
    requireThat(output.includes(jobId), `does not show the job id ${jobId}`);
  if (reading === "complete") requireThat(!/^warning: /m.test(stderr), "has a warning");
  if (isWrite) {
    const sent = service.requests.filter((request) => request.method === method && request.path === path);
    requireThat(response.status === 429 ? sent.length > 1 : sent.length === 1, `sends ${sent.length} times`);
  }
  if (name === "list" && rows !== undefined) {
    const isFollowed = response.secondPage !== undefined && code === 0;
    requireThat(countRows(stdout) === (isFollowed ? rows + 1 : rows), `prints ${countRows(stdout)} rows`);
  }
  if (["accepted with unknown id", "outcome unknown", "outcome lost"].includes(reading)) {
    const history = await runCli(["history", "--unknown", "--json"], { env });
    requireThat((JSON.parse(history.stdout) as unknown[]).length === 1, "is not in history --unknown");
  }
  if (differences.length > 0) differences.push(output.slice(0, 500));
  return differences;
}

describe.each([
  ["errors of servers, gateways and frameworks", ERRORS],
  ["2xx and 3xx that are not of the service", NOT_THE_SERVICE],
  ["responses to a submission", SUBMISSIONS],
  ["codings and charsets", CODINGS],
  ["lists", LISTS],
  ["jobs", JOBS],
] as const)("the client reads %s", (_, responses) => {
  const names = OPERATION_NAMES.filter((name) =>
    responses.some((response) => readingOf(response, name) !== undefined),
  );
  it.each(names)("in the command for %s", async (name) => {
    const wrong: Record<string, readonly string[]> = {};
    const read = responses.flatMap((response) => {
      const reading = readingOf(response, name);
      return reading === undefined ? [] : [[reading, response] as const];
    });
    await Promise.all(
      sample(read, OPERATION_NAMES.indexOf(name)).map(async ([reading, response]) => {
        const differences = await findDifferences(response, name, reading);
        if (differences.length > 0) wrong[`${response.name} (${reading})`] = differences;
      }),
    );
    expect(wrong).toEqual({});
  });
});
