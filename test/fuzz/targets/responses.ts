import { Buffer } from "node:buffer";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { readMonotonic } from "../../../src/client/runtime.ts";
import { getContract } from "../../../src/contract/openapi.ts";
import type { ForeignResponse } from "../../support/services/foreign-response.ts";
import { RESPONSES } from "../../support/services/responses.ts";
import type { WireResponse } from "../../support/services/server.ts";
import { JOB_ID, startService } from "../../support/services/service.ts";
import { decodeText, hasPlainJobId, isAccepted, readJson, type SentResponse } from "../acceptance.ts";
import { createFuzzContext, run } from "../cli.ts";
import { mostlyMatching, type Schema } from "../schema.ts";
import { defineTarget, requireThat } from "../target.ts";
import {
  applyChanges,
  type Change,
  fewChanges,
  hostileText,
  JSON_DELIMITERS,
  joinPieces,
  mostly,
  type Pieces,
  repetition,
} from "../text.ts";

interface Mutation {
  /** Name in {@link RESPONSES}. */
  readonly response: string;
  /** In place of its body. */
  readonly document: Pieces | null;
  readonly status: number | null;
  /** Instead of those of the response, or with them. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Of the text. */
  readonly changes: readonly Change[];
  /** A secret, in one of {@link FORMS}, at a place of the text. */
  readonly planted: { readonly secret: string; readonly form: number; readonly at: number } | null;
  /** Applied in turn. Declared, unless a header says otherwise. */
  readonly codings: readonly string[];
  readonly charset: string | null;
  /** Of the bytes. */
  readonly byteChanges: readonly Change[];
  readonly cutAfter: number | null;
}

interface Input {
  /** Index of the command in {@link COMMANDS}, modulo their number. */
  readonly command: number;
  /** In turns; the last one for every further request. */
  readonly responses: readonly Mutation[];
}

const KEY = "sk_fuzz_key_of_the_client";
const SIGNING_SECRET = "whsec_fuzz_of_the_endpoint";
const SECRET_FILE = "signing-secret";
const STATUS_PATH = `/v1/diligence/status/${JOB_ID}`;
const REPORT_PATH = `/v1/diligence/report/${JOB_ID}`;
const DATASET_PATH = `/v1/diligence/dataset/${JOB_ID}`;
const SUBMIT_PATH = "/v1/diligence/submit";
const ENTRIES = resolve("fixtures/sample_entries.csv");
const SUBMIT = ["diligence", "submit", ENTRIES, "--seller-name", "Acme"];

/** An operation, its method and path, and a command that reads its responses. */
type Command = readonly [operation: string, request: `${"GET" | "POST"} ${string}`, ...args: string[]];

const REGISTER = [
  ...["webhooks", "create", "http://127.0.0.1:9/", "--event", "partner.test", "--secret-file", SECRET_FILE],
];

const FORMATS = [[], ["--json"], ["--ndjson"], ["--csv"]];

const inEachFormat = (operation: string, path: string, ...args: string[]): Command[] =>
  FORMATS.map((format) => [operation, `GET ${path}`, ...args, ...format]);

const COMMANDS: readonly Command[] = [
  ["diligence.submit", `POST ${SUBMIT_PATH}`, ...SUBMIT, "--json"],
  ["diligence.submit", `POST ${SUBMIT_PATH}`, ...SUBMIT],
  ["diligence.submit", `POST ${SUBMIT_PATH}`, ...SUBMIT, "--wait", "--timeout", "1m", "--json"],
  ["clients.create", "POST /v1/clients", "clients", "create", "--name", "Acme"],
  ["clients.create", "POST /v1/clients", "clients", "create", "--name", "Acme", "--json"],
  ["webhooks.create", "POST /v1/webhooks/endpoints", ...REGISTER],
  ["webhooks.create", "POST /v1/webhooks/endpoints", ...REGISTER, "--json"],
  ["diligence.status", `GET ${STATUS_PATH}`, "diligence", "wait", JOB_ID, "--timeout", "1m", "--json"],
  ["clients.list", "GET /v1/clients", "clients", "list", "-q"],
  ["document.openapi", "GET /v1/docs/openapi", "contract", "hash"],
  ["clients.list", "GET /v1/clients", "api", "GET", "/v1/clients"],
  ...inEachFormat("clients.list", "/v1/clients", "clients", "list"),
  ...inEachFormat("clients.list", "/v1/clients", "clients", "list", "--all"),
  ...inEachFormat("offers.list", "/v1/offers", "offers", "list"),
  ...inEachFormat("webhooks.endpoints", "/v1/webhooks/endpoints", "webhooks", "list"),
  ...inEachFormat("webhooks.deliveries", "/v1/webhook-deliveries", "webhooks", "deliveries"),
  ...inEachFormat("revenue.ledger", "/v1/revenue/ledger", "revenue", "ledger"),
  ...inEachFormat("revenue.dashboard", "/v1/revenue/dashboard", "revenue", "dashboard"),
  ...inEachFormat("orgs.get", "/v1/partner-organizations/a", "orgs", "get", "a"),
  ...inEachFormat("scans.get", "/v1/portfolio-scans/a", "scans", "get", "a"),
  ...inEachFormat("scans.summary", "/v1/portfolio-scans/a/summary", "scans", "summary", "a"),
  ...inEachFormat("claims.status", "/v1/claims/status", "claims", "status", "a"),
  ...inEachFormat("diligence.status", STATUS_PATH, "diligence", "status", JOB_ID),
  ...inEachFormat("diligence.report", REPORT_PATH, "diligence", "report", JOB_ID),
  ...inEachFormat("diligence.dataset", DATASET_PATH, "diligence", "dataset", JOB_ID),
];

const { paths, components } = getContract().document as unknown as {
  paths: Record<
    string,
    Record<string, { operationId?: string; responses: Record<string, DescribedResponse> }>
  >;
  components: { schemas: Record<string, Schema> };
};

interface DescribedResponse {
  readonly content?: Record<string, { readonly schema: Schema }>;
}

function dereference(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(dereference);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref } = schema as Schema;
  if ($ref !== undefined) return dereference(components.schemas[$ref.replace(/^.*\//, "")]);
  return Object.fromEntries(Object.entries(schema).map(([name, inner]) => [name, dereference(inner)]));
}

/** The schema of a success. */
function findSchema(operation: string): Schema {
  const found = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === operation);
  const [success] = Object.entries(found?.responses ?? {}).filter(([status]) => status.startsWith("2"));
  return dereference(success?.[1].content?.["application/json"]?.schema ?? {}) as Schema;
}

const repeated = ["[", '{"a":', "<p>", "\n", "a,b\n", '{"data":[]}\n', "]", "\x1b]0;"];

/** Documents that mostly match the contract. */
const documentOf = (operation: string): Arbitrary<Pieces> =>
  mostly(
    mostlyMatching(findSchema(operation)).map((value): Pieces => [JSON.stringify(value) ?? "null"]),
    fc.array(repetition(repeated, 20_000), { maxLength: 4 }),
  );

/** How a service may write a secret into a text. */
const FORMS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `","signingSecret":"${secret}","x":"`,
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => secret.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  (secret) => secret.replace(/_/g, "&#95;"),
  (secret) => encodeURIComponent(secret).replaceAll("_", "%5F"),
];

const ENCODERS: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => gzipSync(bytes),
  "x-gzip": (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  "deflate ": (bytes) => deflateRawSync(bytes),
  br: (bytes) => brotliCompressSync(bytes),
  zstd: (bytes) => bytes,
};

const CHARSETS: Readonly<Record<string, (text: string) => Buffer>> = {
  "iso-8859-1": (text) => Buffer.from(text, "latin1"),
  "windows-1252": (text) => Buffer.from(text, "latin1"),
  "utf-16le": (text) => Buffer.from(text, "utf16le"),
  "utf-16be": (text) => Buffer.from(text, "utf16le").swap16(),
  "utf-16": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "utf-8": (text) => Buffer.from(`\ufeff${text}`),
  ibm037: (text) => Buffer.from(text),
  shift_jis: (text) => Buffer.from(text),
  x: (text) => Buffer.from(text),
};

const DELIMITERS = [
  ...JSON_DELIMITERS,
  ...['"id":', '"jobId":"a",', '"environment":"production",', '"has_more":true,', '"total":9,'],
  ...["<title>", "</title>", "<script>", "<!--", "&lt;", "\u202e", "\x1b[2J", "\\u001b"],
];

const HEADERS = [
  ...["Location", "Link", "Retry-After", "Content-Type", "Content-Encoding", "Content-Range", "X-Request-Id"],
  ...["WWW-Authenticate", "X-Service-Broker-Alias", "Set-Cookie"],
];

const header: Arbitrary<readonly [string, string]> = fc.tuple(
  fc.constantFrom(...HEADERS),
  fc.oneof(
    fc.constantFrom(
      ...[
        "/login",
        STATUS_PATH,
        `/jobs/${JOB_ID}`,
        "/v1/diligence/status/%",
        "https://sso.example/",
        "",
        "//",
        "?",
      ],
      ...['</v1/clients?page=2>; rel="next"', "0", "1", "items 0-1/9", "items */9", `Bearer ${KEY}`],
      ...["gzip", "br", "deflate, gzip", "identity", "x", "text/html", "application/json; charset=utf-16"],
      ...["application/json; charset=", "text/plain;charset=iso-8859-1", "application/problem+json"],
    ),
    hostileText,
  ),
);

const STATUSES = [200, 201, 202, 203, 204, 206, 302, 304, 400, 401, 404, 409, 429, 500, 503];

const anyCodings = fc.array(fc.constantFrom(...Object.keys(ENCODERS)), { minLength: 1, maxLength: 2 });

const mutationOf = (operation: string): Arbitrary<Mutation> =>
  fc.record({
    response: fc.constantFrom(...RESPONSES.map(({ name }) => name)),
    document: fc.option(documentOf(operation)),
    status: mostly(fc.constant(null), fc.constantFrom(...STATUSES), 3),
    headers: mostly(fc.constant([]), fc.array(header, { maxLength: 3 }), 2),
    changes: fewChanges(DELIMITERS, 3, 2),
    planted: fc.option(
      fc.record({
        secret: fc.constantFrom(KEY, SIGNING_SECRET),
        form: fc.nat(FORMS.length - 1),
        at: fc.nat(1 << 16),
      }),
    ),
    codings: mostly(fc.constant<string[]>([]), anyCodings, 3),
    charset: mostly(fc.constant(null), fc.constantFrom(...Object.keys(CHARSETS)), 4),
    byteChanges: fewChanges(["\0", "\xff", "\x1f\x8b"], 2, 6),
    cutAfter: mostly(fc.constant(null), fc.nat(200), 15),
  });

const input: Arbitrary<Input> = fc.oneof(
  ...COMMANDS.map(([operation], command) =>
    fc.record({
      command: fc.constant(command),
      responses: fc.array(mutationOf(operation), { minLength: 1, maxLength: 2 }),
    }),
  ),
);

const bytesOf = ({ body = "" }: WireResponse): Uint8Array =>
  typeof body === "function" ? body() : Buffer.from(body);

function encode(mutated: Mutation): WireResponse & SentResponse {
  const base = RESPONSES.find(({ name }) => name === mutated.response) ?? (RESPONSES[0] as ForeignResponse);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(base.headers ?? {})) headers[name.toLowerCase()] = value;
  let bytes = mutated.document === null ? bytesOf(base) : Buffer.from(joinPieces(mutated.document));
  // Bytes that are coded already are not text.
  if (
    headers["content-encoding"] === undefined &&
    !/charset=(?!utf-8)/i.test(headers["content-type"] ?? "")
  ) {
    const { planted, charset, codings } = mutated;
    let text = Buffer.from(bytes).toString("utf8");
    if (planted !== null) {
      const at = planted.at % (text.length + 1);
      const secret = FORMS[planted.form % FORMS.length]?.(planted.secret) ?? "";
      text = text.slice(0, at) + secret + text.slice(at);
    }
    text = applyChanges(text, mutated.changes);
    bytes = charset === null ? Buffer.from(text) : (CHARSETS[charset]?.(text) ?? Buffer.from(text));
    if (charset !== null)
      headers["content-type"] =
        `${(headers["content-type"] ?? "application/json").split(";", 1)[0]}; charset=${charset}`;
    for (const coding of codings) bytes = Buffer.from(ENCODERS[coding]?.(bytes) ?? bytes);
    if (codings.length > 0) headers["content-encoding"] = codings.join(", ");
  }
  if (mutated.byteChanges.length > 0)
    bytes = Buffer.from(applyChanges(Buffer.from(bytes).toString("latin1"), mutated.byteChanges), "latin1");
  for (const [name, value] of mutated.headers)
    headers[name.toLowerCase()] = Buffer.from(value.replace(/[^\t\x20-\x7e\x80-\xff]/g, ""), "latin1")
      .toString("latin1")
      .trim();
  const status = mutated.status ?? base.status;
  const cutAfter = mutated.cutAfter ?? base.cutAfter;
  const isEmpty = status === 204 || status === 304;
  const body = isEmpty ? Buffer.alloc(0) : bytes;
  const isCut = cutAfter !== undefined && (cutAfter === 0 || cutAfter < body.length);
  return { status, headers, body, isCut, ...(isCut && { cutAfter }) };
}

/** Of the files below a folder, except the responses that are saved for a person and the secret that has a destination. */
function readFiles(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !name.endsWith(".response") && name !== SECRET_FILE)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
}

/**
 * Whether the only signing secret in a body is the planted one; the client cannot know another text as one. Without NULs, the
 * names in UTF-16 are those in UTF-8.
 */
function isSecretKnown(response: SentResponse): boolean {
  const text = decodeText(response) ?? Buffer.from(response.body).toString("latin1").replaceAll("\0", "");
  const secrets = text.matchAll(/"signingSecret"\s*:\s*("[^"]*"|\S)/g);
  return [...secrets].every(([, value]) => value === `"${SIGNING_SECRET}"`);
}

/** A service that puts the credential into the job id: the user needs the id. */
const JOB_ID_WITH_KEY = new RegExp(`"jobId":"[^"]*${KEY}`);

/** What changes a terminal, or the order of what it shows; line breaks and tabs do not. */
const UNSAFE =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\r(?!\n)/;

/** The line that the command line itself erases. */
const withoutProgress = (text: string): string => text.replaceAll("\r\x1b[K", "").replaceAll("\r\x1b[2K", "");

/** Of `claims history --json`. */
interface WriteRecord {
  /** As in `accepted` and `accepted, no id`. */
  readonly outcome: string;
  readonly jobId: string | null;
}

/** 6. What the client makes and prints of responses that servers, gateways and frameworks send, mutated. */
export const responses = defineTarget<Input>({
  name: "responses",
  arbitrary: input,
  async open() {
    const service = await startService();
    const folder = mkdtempSync(join(tmpdir(), "claims-fuzz-responses-"));
    const runCommand = async (args: readonly string[]) => {
      const env = { CLAIMS_BASE_URL: service.url, CLAIMS_API_KEY: KEY };
      const { context, captured } = createFuzzContext(folder, env);
      let sleptMs = 0;
      const clock = {
        now: () => context.now() + sleptMs,
        monotonic: () => readMonotonic(context) + sleptMs,
        sleep: async (milliseconds: number) => {
          sleptMs += milliseconds;
        },
      };
      return { code: await run(args, { ...context, ...clock }), ...captured };
    };
    return {
      async check({ command, responses: mutations }) {
        const [, request, ...args] = COMMANDS[command % COMMANDS.length] as Command;
        const [method = "", path = ""] = request.split(" ");
        const sent = mutations.map(encode);
        const last = sent.at(-1) as WireResponse & SentResponse;
        service.clear();
        service.respond(method, path, ...sent);
        service.respondAlways(method, path, last);
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true });
        const { code, stdout, stderr } = await runCommand(args);
        const describe = (problem: string) => () =>
          `claims ${args.join(" ")}: ${problem}\nexit ${code}\n${JSON.stringify({ stdout, stderr })}\n${JSON.stringify(
            sent.map(({ body, ...rest }) => ({ ...rest, body: Buffer.from(body).toString().slice(0, 500) })),
          )}`;
        requireThat(code !== 1, describe("exit code 1, a bug"));
        requireThat(!UNSAFE.test(stdout), describe("stdout controls the terminal"));
        requireThat(!UNSAFE.test(withoutProgress(stderr)), describe("stderr controls the terminal"));
        const files = readFiles(folder);
        // With --json, stdout is what the service sent.
        if (!JOB_ID_WITH_KEY.test(files))
          requireThat(
            !`${stderr}${files}`.includes(KEY),
            describe("the credential is on stderr or in a file"),
          );
        if (args.includes("--secret-file") && sent.every(isSecretKnown))
          requireThat(
            !`${stdout}${stderr}${files}`.includes(SIGNING_SECRET),
            describe("the signing secret is printed, or in another file than its own"),
          );
        // A dataset is printed while it arrives.
        if (args.includes("--json") && path !== DATASET_PATH)
          requireThat(isDocument(stdout), describe("stdout is not one document"));
        const isAll = args.includes("--all");
        if (isAll && code === 0)
          requireThat(
            !saysMore(readJson(last)),
            describe("exit 0, and the response says that there is more"),
          );
        if (path === SUBMIT_PATH) {
          // The response that the client has read last.
          const requests = service.requests.filter((request) => request.method === "POST");
          const response = sent[Math.min(requests.length, sent.length) - 1] as SentResponse;
          const history = JSON.parse((await runCommand(["history", "--json"])).stdout) as WriteRecord[];
          const record = history.find(
            ({ jobId, outcome }) => jobId !== null || outcome.startsWith("accepted"),
          );
          if (record !== undefined)
            requireThat(
              isAccepted(response, record.jobId),
              describe(`counts as accepted, with the id ${record.jobId}`),
            );
          else requireThat(code !== 0, describe("exit 0, and no accepted write in the history"));
          if (hasPlainJobId(response))
            requireThat(record !== undefined, describe("does not count as accepted"));
        }
        return { inputs: sent.length, responses: 1, accepted: code === 0 ? 1 : 0 };
      },
      async close() {
        await service.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

function isDocument(text: string): boolean {
  try {
    return text.trim() === "" || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** Whether a list has `has_more`, in any case style, beside its rows. */
const saysMore = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).some(([name, inner]) => /^has_?more$/i.test(name) && inner === true);
