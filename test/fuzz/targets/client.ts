import { Buffer } from "node:buffer";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc, { type Arbitrary } from "fast-check";
import { getContract } from "../../../src/contract/openapi.ts";
import { createFuzzContext, run } from "../cli.ts";
import { mostlyMatching, type Schema } from "../schema.ts";
import { defineTarget, requireThat } from "../target.ts";
import {
  applyChanges,
  type Change,
  changeOf,
  hostileText,
  joinPieces,
  latin1,
  type Pieces,
  repetition,
} from "../text.ts";

interface HostileResponse {
  /** The whole response without its head; Latin-1. */
  readonly head: string;
  readonly body: Pieces;
  readonly hasLength: boolean;
  readonly changes: readonly Change[];
}

interface Input {
  /** Index of the command in {@link COMMANDS}, modulo their number. */
  readonly command: number;
  readonly format: string;
  /** In turns: one for each request. */
  readonly responses: readonly HostileResponse[];
}

const JOB = "3f2c1f0e-0000-4000-8000-000000000000";

/** A command line, and the operation whose response it reads. */
const COMMANDS: readonly (readonly [operation: string, ...args: string[]])[] = [
  ["clients.list", "clients", "list"],
  ["clients.list", "clients", "list", "--all"],
  ["claims.list", "claims", "list"],
  ["offers.list", "offers", "list"],
  ["webhooks.endpoints", "webhooks", "list"],
  ["webhooks.deliveries", "webhooks", "deliveries"],
  ["revenue.ledger", "revenue", "ledger"],
  ["revenue.dashboard", "revenue", "dashboard"],
  ["orgs.get", "orgs", "get", "a"],
  ["scans.get", "scans", "get", "a"],
  ["scans.summary", "scans", "summary", "a"],
  ["claims.status", "claims", "status", "a"],
  ["clients.create", "clients", "create", "--name", "Acme"],
  ["diligence.status", "diligence", "status", JOB],
  ["diligence.report", "diligence", "report", JOB],
  ["diligence.dataset", "diligence", "dataset", JOB],
  ["document.openapi", "contract", "hash"],
  ["clients.list", "api", "GET", "/v1/clients"],
];

const { paths, components } = getContract().document as unknown as {
  paths: Record<
    string,
    Record<
      string,
      { operationId?: string; responses: Record<string, { content?: Record<string, { schema: Schema }> }> }
    >
  >;
  components: { schemas: Record<string, Schema> };
};

function dereference(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(dereference);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref } = schema as Schema;
  if ($ref !== undefined) return dereference(components.schemas[$ref.replace(/^.*\//, "")]);
  return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, dereference(inner)]));
}

function responseSchema(operation: string): Schema {
  const found = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === operation);
  const [success] = Object.entries(found?.responses ?? {}).filter(([status]) => status.startsWith("2"));
  return dereference(success?.[1].content?.["application/json"]?.schema ?? {}) as Schema;
}

const problemSchema = dereference(components.schemas.Problem) as Schema;

const DELIMITERS = [
  "\r\n",
  "\r\n\r\n",
  "\0",
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "HTTP/1.1 100 Continue\r\n\r\n",
  "Content-Length: 3\r\n",
  "Transfer-Encoding: chunked\r\n",
  "\xff",
  "\xe2\x80\xae",
  "\x1b[2J",
  "\\u001b",
  "\\u202e",
  "null",
  "1e999",
];

const jsonOf = (schema: Schema): Arbitrary<Pieces> =>
  mostlyMatching(schema).map((value) => [Buffer.from(JSON.stringify(value) ?? "null").toString("latin1")]);

const header: Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      "Link",
      "Retry-After",
      "Location",
      "Content-Encoding",
      "ETag",
      "X-Request-Id",
      "WWW-Authenticate",
      "X-Service-Broker-Alias",
    ),
    fc.oneof(
      hostileText.map((text) => Buffer.from(text.replace(/[\r\n\0]/g, "")).toString("latin1")),
      fc.constantFrom(
        '</v1/clients?cursor=a>; rel="next"',
        '<http://127.0.0.1:1/>; rel="next"',
        "0",
        "1",
        "gzip",
        "/v1/clients",
        "Fri, 20 Nov 2026 00:00:30 GMT",
      ),
    ),
  )
  .map(([name, value]) => `${name}: ${value}\r\n`);

const MAX_REPETITIONS = 20_000;

const STATUS_LINES = [
  "200 OK",
  "200 OK",
  "200 OK",
  "200 OK",
  "201 Created",
  "202 Accepted",
  "204 No Content",
  "302 Found",
  "400 Bad Request",
  "401 Unauthorized",
  "404 Not Found",
  "409 Conflict",
  "422 x",
  "429 x",
  "500 x",
  "503 \x1b[2J",
  "999 x",
];

function responsesTo(operation: string): Arbitrary<HostileResponse> {
  const success = jsonOf(responseSchema(operation));
  const problem = jsonOf(problemSchema);
  return fc.record({
    head: fc
      .tuple(
        fc.constantFrom(...STATUS_LINES),
        fc.oneof(
          { weight: 6, arbitrary: fc.constant("application/json") },
          {
            weight: 1,
            arbitrary: fc.constantFrom(
              "application/problem+json",
              "text/html",
              "text/csv",
              "application/x-ndjson",
              "text/plain; charset=x",
              "",
            ),
          },
        ),
        fc.oneof(
          { weight: 2, arbitrary: fc.constant<string[]>([]) },
          { weight: 1, arbitrary: fc.array(header, { maxLength: 3 }) },
        ),
      )
      .map(([status, type, headers]) => `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${headers.join("")}`),
    body: fc.oneof(
      { weight: 10, arbitrary: success },
      { weight: 3, arbitrary: problem },
      {
        weight: 1,
        arbitrary: fc
          .jsonValue()
          .map((value): Pieces => [Buffer.from(JSON.stringify(value)).toString("latin1")]),
      },
      { weight: 1, arbitrary: latin1.map((text): Pieces => [text]) },
      {
        weight: 1,
        arbitrary: fc.array(
          repetition(["[", '{"a":', "<p>", "\n", "a,b\n", '{"data":[]}\n', "]", "\x1b]0;"], MAX_REPETITIONS),
          { maxLength: 4 },
        ),
      },
    ),
    hasLength: fc.nat(5).map((digit) => digit > 0),
    changes: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(changeOf(DELIMITERS), { minLength: 1, maxLength: 3 }) },
    ),
  });
}

const input: Arbitrary<Input> = fc.oneof(
  ...COMMANDS.map(([operation], command) =>
    fc.record({
      command: fc.constant(command),
      format: fc.constantFrom("", "", "--json", "--ndjson", "--csv"),
      responses: fc.array(responsesTo(operation), { minLength: 1, maxLength: 3 }),
    }),
  ),
);

function encodeResponse({ head, body, hasLength, changes }: HostileResponse): Buffer {
  const content = joinPieces(body);
  const length = hasLength ? `Content-Length: ${content.length}\r\n` : "";
  return Buffer.from(applyChanges(`${head}${length}Connection: close\r\n\r\n${content}`, changes), "latin1");
}

/** What changes a terminal, or the order of what it shows; line breaks and tabs do not. */
const UNSAFE =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\r(?!\n)/;

const KEY = "sk_fuzz_key_of_the_client";

/** 8. The client against hostile responses, and what it prints of them on a terminal. */
export const client = defineTarget<Input>({
  name: "client",
  arbitrary: input,
  async open() {
    let responses: readonly Buffer[] = [];
    let requestCount = 0;
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
      let received = "";
      socket.setEncoding("latin1").on("data", (text: string) => {
        received += text;
        if (!isComplete(received)) return;
        received = "";
        socket.end(responses[requestCount++ % responses.length] ?? "");
      });
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const folder = mkdtempSync(join(tmpdir(), "claims-fuzz-client-"));
    return {
      async check({ command, format, responses: given }) {
        responses = given.map(encodeResponse);
        requestCount = 0;
        const [, ...args] = COMMANDS[command % COMMANDS.length] ?? [""];
        const env = { CLAIMS_BASE_URL: `http://127.0.0.1:${port}`, CLAIMS_API_KEY: KEY };
        const { context, captured } = createFuzzContext(folder, env);
        const words = [...args, ...(format === "" ? [] : [format])];
        const code = await run(words, context);
        const describe = (problem: string) => () =>
          `claims ${words.join(" ")}: ${problem}\n${JSON.stringify(captured)}`;
        // The writes of other runs are in its way.
        rmSync(join(folder, "writes.jsonl"), { force: true });
        requireThat(code !== 1, describe("exit code 1, a bug"));
        requireThat(!UNSAFE.test(captured.stdout), describe("stdout controls the terminal"));
        requireThat(!UNSAFE.test(withoutProgress(captured.stderr)), describe("stderr controls the terminal"));
        requireThat(
          !`${captured.stdout}${captured.stderr}`.includes(KEY),
          describe("the credential is printed"),
        );
        return { inputs: given.length, responses: 1, accepted: code === 0 ? 1 : 0 };
      },
      async close() {
        for (const socket of sockets) socket.destroy();
        server.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

/** Whether a request with its body has arrived. */
function isComplete(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = Number(/^content-length: (\d+)$/im.exec(text.slice(0, end))?.[1] ?? 0);
  return text.length >= end + 4 + length;
}

/** The line that the command line itself erases. */
const withoutProgress = (text: string): string => text.replaceAll("\r\x1b[K", "").replaceAll("\r\x1b[2K", "");
