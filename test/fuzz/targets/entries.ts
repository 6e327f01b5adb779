import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import fc, { type Arbitrary } from "fast-check";
import { parseIsoDay } from "../../../src/domain/entries/dates.ts";
import { EntryFileError } from "../../../src/domain/entries/entry-file-error.ts";
import { generateScenarioFile } from "../../../src/domain/scenarios/scenario-file.ts";
import type { ScenarioName } from "../../../src/domain/scenarios/scenario-names.ts";
import { getMinRows } from "../../../src/domain/scenarios/scenarios.ts";
import { createFileWithRow, readEntryFile } from "../../support/read-entry-file.ts";
import { formBody } from "../forms.ts";
import { encodeRequest } from "../http-client.ts";
import { defineServiceTarget } from "../service.ts";
import { requireThat } from "../target.ts";
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
    scenario: fc.constantFrom<ScenarioName>("clean", "mixed", "rejected-rows"),
    layout: fc.constantFrom("entry" as const, "es003" as const),
    extraRows: fc.nat(4),
    seed: fc.nat(),
  })
  .map(({ scenario, layout, extraRows, seed }): Pieces => {
    const rows = Math.max(1, getMinRows(scenario, layout)) + extraRows;
    const chunks = [...generateScenarioFile({ scenario, layout, rows, seed, asOf })];
    return [toLatin1(Buffer.concat(chunks))];
  });

const BYTES = ['"', '""', ",", "\n", "\r\n", "\r", "\xc3\xa9", "\xff", " ", "\0"];

const part = fc.constantFrom(...BYTES, "\xf0\x9f\x98\x80", "a", ROW, `${ROW}\n`);

const rowUnits = [`${ROW}\n`, '"', ",", "\n", " \n", '"\n', "\xc3"];

const file: Arbitrary<Pieces> = fc.oneof(
  { weight: 6, arbitrary: scenario },
  {
    weight: 4,
    arbitrary: fc.array(part, { maxLength: 25 }).map((parts): Pieces => [`${HEADER}\n${parts.join("")}`]),
  },
  { weight: 1, arbitrary: repetition(rowUnits, 3_000).map((rows): Pieces => [`${HEADER}\n`, rows]) },
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
  ...BYTES,
  ...[";", "\t", "\xef\xbb\xbf", "-", "$", ".", "01", "00", "US", "LIQUIDATED", "99030124", "=1+1"],
  ...["2025-02-30", "13/31/2025", "1e5", "9999999999999.99", "-0.01", "1,000.00", "(5.00)"],
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

const BOUNDARY = "entries-boundary";

const textPart = (name: string, text: string) => ({
  ...{ name, fileName: null, type: null, encoding: null, content: [toLatin1(text)] },
});

/** 4. Entry files: the sandbox's result equals that of `check`, texts included, whatever the chunk borders. */
export const entries = defineServiceTarget<Input>({
  name: "entries",
  arbitrary: input,
  options: { frozenAt: `${AS_OF}T00:00:00Z` },
  prepare(service) {
    const credential = service.credentialHeader("sandbox");
    const send = async (method: string, path: string, bytes: Buffer, firstChunk = bytes.length) => {
      const response = await service.connection(0).exchange(bytes, { firstChunk });
      requireThat(response !== null, () => `${method} ${path}: no response`);
      service.checkResponse(method, path, response, "sandbox");
      const { status, body } = response;
      return { status, json: JSON.parse(body.toString()) as Record<string, unknown> };
    };
    const get = (path: string) => send("GET", path, encodeRequest("GET", path, credential));

    return async ({ file, changes, chunkSizes, sellerName, protestDocumentation }) => {
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
      const form = formBody(
        [
          textPart("seller_name", sellerName),
          textPart("requires_protest_documentation", String(protestDocumentation)),
          { name: "file", fileName: "a.csv", type: "text/csv", encoding: null, content: [text] },
        ],
        BOUNDARY,
      );
      const path = "/v1/diligence/submit";
      const type = ["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`] as const;
      const body = Buffer.from(joinPieces(form), "latin1");
      const request = encodeRequest("POST", path, [...credential, type], body);
      const end = `\r\n--${BOUNDARY}--\r\n`;
      const firstChunk = request.length - end.length - bytes.length + (chunkSizes[0] ?? 0);
      const { status, json } = await send("POST", path, request, firstChunk);
      requireThat(status === (bytes.length === 0 ? 422 : 202), () => `${status}: ${JSON.stringify(json)}`);
      if (status === 202) await compare(String(json.jobId), expected);
      return { inputs: 1, responses: 1, accepted: status === 202 ? 1 : 0 };
    };

    async function compare(jobId: string, expected: unknown): Promise<void> {
      await service.sandbox.idle();
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
