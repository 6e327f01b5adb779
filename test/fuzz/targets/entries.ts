import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import fc, { type Arbitrary } from "fast-check";
import { parseIsoDay } from "../../../src/domain/entries/dates.ts";
import { EntryFileError } from "../../../src/domain/entries/entry-file-error.ts";
import { generateScenarioFile } from "../../../src/domain/scenarios/scenario-file.ts";
import { getMinRows, type ScenarioName } from "../../../src/domain/scenarios/scenarios.ts";
import { createFileWithRow, readEntryFile } from "../../support/read-entry-file.ts";
import { startFuzzedService } from "../service.ts";
import { defineTarget, requireThat } from "../target.ts";
import { applyChanges, type Change, changeOf, joinPieces, type Pieces, repetition } from "../text.ts";

interface Input {
  /** Latin-1. */
  readonly file: Pieces;
  readonly changes: readonly Change[];
  readonly chunkSizes: readonly number[];
  readonly sellerName: string;
  readonly protestDocumentation: boolean;
}

const AS_OF = "2026-11-20";
const asOf = parseIsoDay(AS_OF) ?? 0;

const [HEADER = "", ROW = ""] = createFileWithRow().trim().split("\n");

const toLatin1 = (bytes: Uint8Array | string): string => Buffer.from(bytes as string).toString("latin1");

const scenario = fc
  .record({
    scenario: fc.constantFrom<ScenarioName>("clean", "mixed", "rejected-rows", "repaired"),
    layout: fc.constantFrom("entry" as const, "es003" as const),
    extraRows: fc.nat(4),
    seed: fc.nat(),
  })
  .map(({ scenario, layout, extraRows, seed }): Pieces => {
    const rows = Math.max(1, getMinRows(scenario, layout)) + extraRows;
    const chunks = [...generateScenarioFile({ scenario, layout, rows, seed, asOf })];
    return [toLatin1(Buffer.concat(chunks))];
  });

const part = fc.constantFrom(
  '"',
  '""',
  ",",
  "\n",
  "\r\n",
  "\r",
  "\xc3\xa9",
  "\xf0\x9f\x98\x80",
  "\xff",
  ROW,
  `${ROW}\n`,
  " ",
  "a",
  "\0",
);

const file: Arbitrary<Pieces> = fc.oneof(
  { weight: 6, arbitrary: scenario },
  {
    weight: 4,
    arbitrary: fc.array(part, { maxLength: 25 }).map((parts): Pieces => [`${HEADER}\n${parts.join("")}`]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constant(`${HEADER}\n`),
        repetition([`${ROW}\n`, '"', ",", "\n", " \n", '"\n', "\xc3"], 3_000),
      )
      .map((pieces): Pieces => pieces),
  },
  {
    weight: 1,
    arbitrary: repetition([",a", ",", ",a (2)"], 60_000).map(
      (columns): Pieces => [HEADER, columns, `\n${ROW}`, [",", columns[1]]],
    ),
  },
  {
    weight: 1,
    arbitrary: repetition(["\n", '","\n', '""\n', "a,\r\n"], 60_000).map(
      (lines): Pieces => [`${HEADER},memo\n${ROW},"`, lines, `"\n${ROW},\n`],
    ),
  },
);

const DELIMITERS = [
  ...[
    '"',
    '""',
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\xef\xbb\xbf",
    "\0",
    "\xff",
    "\xc3\xa9",
    " ",
    "-",
    "$",
    ".",
  ],
  ...[
    "01",
    "2025-02-30",
    "13/31/2025",
    "1e5",
    "9999999999999.99",
    "-0.01",
    "1,000.00",
    "(5.00)",
    "00",
    "US",
    "LIQUIDATED",
    "99030124",
    "=1+1",
  ],
];

const input: Arbitrary<Input> = fc.record({
  file,
  changes: fc.array(changeOf(DELIMITERS), { maxLength: 4 }),
  chunkSizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4_000 })), {
    minLength: 1,
    maxLength: 8,
  }),
  sellerName: fc.constantFrom("Harbor & Pine Trading, LLC", "Acme", "\u00c4cme"),
  protestDocumentation: fc.boolean(),
});

/** The report, or the error of the whole file as a job shows it. */
function assess(
  bytes: Uint8Array,
  chunkSizes: readonly number[],
  options: { asOf: number; sellerName: string; requiresProtestDocumentation: boolean },
): unknown {
  try {
    return JSON.parse(JSON.stringify(readEntryFile(bytes, chunkSizes, options).report));
  } catch (error) {
    if (!(error instanceof EntryFileError)) throw error;
    return { code: error.code, detail: error.message, line: error.line };
  }
}

/** Chunks of the request's body; more would be one system call each. */
const MAX_SENT_CHUNKS = 8;

/** 6. Entry files: the sandbox's result equals that of `check`, texts included, whatever the chunk borders. */
export const entries = defineTarget<Input>({
  name: "entries",
  arbitrary: input,
  async open(onError) {
    const service = await startFuzzedService(onError, { frozenAt: `${AS_OF}T00:00:00Z` });
    const { sandbox } = service;
    const key = sandbox.credentials.sandbox.apiKey;
    const get = async (path: string) => {
      const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const response = await service.connection(0).exchange(Buffer.from(request));
      requireThat(response !== null, () => `GET ${path}: no response`);
      service.checkResponse("GET", path, response, "sandbox");
      return {
        status: response.status,
        json: JSON.parse(response.body.toString()) as Record<string, unknown>,
      };
    };
    return {
      async check({ file, changes, chunkSizes, sellerName, protestDocumentation }) {
        const text = applyChanges(joinPieces(file), changes);
        const bytes = Buffer.from(text, "latin1");
        const options = { asOf, sellerName, requiresProtestDocumentation: protestDocumentation };
        const expected = assess(bytes, [bytes.length], options);
        const inChunks = assess(bytes, chunkSizes, options);
        requireThat(
          isDeepStrictEqual(inChunks, expected),
          () => `in chunks: ${JSON.stringify([inChunks, expected])}`,
        );
        // The filer code that scripts what its job does.
        if (text.includes("SBX")) return { inputs: 1 };
        const boundary = "entries-boundary";
        const head = `--${boundary}\r\nContent-Disposition: form-data; name="seller_name"\r\n\r\n${toLatin1(sellerName)}\r\n--${boundary}\r\nContent-Disposition: form-data; name="requires_protest_documentation"\r\n\r\n${protestDocumentation}\r\n--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`;
        const body = Buffer.from(`${head}${text}\r\n--${boundary}--\r\n`, "latin1");
        const request = `POST /v1/diligence/submit HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\n\r\n`;
        const borders = chunkSizes.slice(0, MAX_SENT_CHUNKS);
        const submitted = await service.connection(0).exchange(Buffer.concat([Buffer.from(request), body]), {
          firstChunk: request.length + head.length + (borders[0] ?? 0),
        });
        requireThat(submitted !== null, () => "no response");
        service.checkResponse("POST", "/v1/diligence/submit", submitted, "sandbox");
        requireThat(
          submitted.status === (bytes.length === 0 ? 422 : 202),
          () => `${submitted.status}: ${submitted.body}`,
        );
        const accepted = submitted.status < 300 ? 1 : 0;
        if (accepted === 1) await compare(String(JSON.parse(submitted.body.toString()).jobId), expected);
        return { inputs: 1, responses: 1, accepted };
      },
      close: () => service.close(),
    };

    async function compare(jobId: string, expected: unknown): Promise<void> {
      await sandbox.idle();
      const { json: job } = await get(`/v1/diligence/status/${jobId}`);
      if (job.state === "failed")
        return requireThat(
          isDeepStrictEqual(job.failure, expected),
          () => `the job failed: ${JSON.stringify([job.failure, expected])}`,
        );
      requireThat(job.state === "completed", () => `the job is ${job.state}`);
      const { json } = await get(`/v1/diligence/report/${jobId}`);
      const { jobId: _id, contractVersion: _version, ...report } = json;
      requireThat(
        isDeepStrictEqual(report, expected),
        () => `the report differs: ${JSON.stringify([report, expected])}`,
      );
      const dataset = await get(`/v1/diligence/dataset/${jobId}`);
      const { totals } = report as { totals: { entriesAccepted: number } };
      const { length } = dataset.json.rows as unknown[];
      requireThat(
        length === totals.entriesAccepted,
        () => `the dataset has ${length} rows, the report ${totals.entriesAccepted}`,
      );
    }
  },
});
