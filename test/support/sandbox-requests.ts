import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { Sandbox } from "../../sandbox/index.ts";
import { fixture } from "./cli.ts";
import { SELLER } from "./sandbox.ts";

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export interface FormParts {
  seller_name?: string | null;
  requires_protest_documentation?: string | null;
  file?: string | Uint8Array | null;
  type?: string;
  name?: string;
}

export function submissionForm(parts: FormParts = {}): FormData {
  const form = new FormData();
  const {
    seller_name = SELLER,
    requires_protest_documentation = "true",
    file = entriesCsv(),
    type = "text/csv",
  } = parts;
  if (seller_name !== null) form.set("seller_name", seller_name);
  if (requires_protest_documentation !== null) {
    form.set("requires_protest_documentation", requires_protest_documentation);
  }
  if (file !== null) form.set("file", new Blob([file as string], { type }), parts.name ?? "entries.csv");
  return form;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

export async function call(
  sandbox: Sandbox,
  path: string,
  init: RequestInit & { token?: string | null } = {},
): Promise<ApiResponse> {
  const { token = sandbox.credentials.sandbox.apiKey, ...rest } = init;
  const headers = new Headers(init.headers);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  const response = await fetch(sandbox.url + path, { ...rest, headers });
  const text = await response.text();
  const json = response.headers.get("content-type")?.match(/^application\/(problem\+)?json/);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json && text !== "" ? JSON.parse(text) : {},
  };
}

export const submit = (
  sandbox: Sandbox,
  form: FormData,
  init: Parameters<typeof call>[2] = {},
): Promise<ApiResponse> => call(sandbox, "/v1/diligence/submit", { method: "POST", body: form, ...init });

/** Sends raw text on a connection of its own, and resolves with what is received until the connection ends. */
export async function exchangeText({ port }: Sandbox, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  socket.write(text);
  let received = "";
  for await (const more of socket) received += more;
  return received;
}

/** Requests an access token with the client of the sandbox. */
export async function requestAccessToken(sandbox: Sandbox): Promise<string> {
  const { clientId, clientSecret } = sandbox.credentials.sandbox;
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
  const { body } = await call(sandbox, "/v1/oauth/token", {
    ...{ method: "POST", token: null, body: new URLSearchParams(form) },
  });
  return String(body.access_token);
}

/** Submits a file that must be accepted, and waits until its first run has ended or waits for the clock. */
export async function submitAndSettle(sandbox: Sandbox, parts: FormParts = {}): Promise<string> {
  const response = await submit(sandbox, submissionForm(parts));
  if (response.status !== 202) throw new Error(`${response.status} ${response.text}`);
  await sandbox.idle();
  return String(response.body.jobId);
}

export const readJob = (
  sandbox: Sandbox,
  resource: string,
  jobId: string,
  init: Parameters<typeof call>[2] = {},
) => call(sandbox, `/v1/diligence/${resource}/${jobId}`, init);

/** How many jobs the sandbox has, in any state. */
export async function countJobs(sandbox: Sandbox): Promise<number> {
  const { body } = await call(sandbox, "/_sandbox/state", { token: sandbox.controlToken });
  return Object.values(body.jobs as Record<string, number>).reduce((sum, count) => sum + count, 0);
}

/** Calls the control API. */
export const callControl = (sandbox: Sandbox, method: string, path: string, body?: unknown) =>
  call(sandbox, `/_sandbox${path}`, {
    ...{ method, token: sandbox.controlToken },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

export const resume = (sandbox: Sandbox, jobId: string, init: Parameters<typeof call>[2] = {}) =>
  call(sandbox, `/v1/diligence/jobs/${jobId}/resume`, { method: "POST", ...init });

const HEADER =
  "entry_number,entry_type_code,importer_number,importer_name,entry_date,country_of_origin_code,entered_value," +
  "ieepa_duty_paid,liquidation_status";

/** An entry-layout file with these entry numbers. */
export const entriesCsv = (numbers: readonly string[] = [entryNumber("ZZ9", 1)]): string =>
  [
    HEADER,
    ...numbers.map(
      (number) => `${number},01,12-3456789,${SELLER_CELL},2025-06-01,CN,1000.00,100.00,NOT_LIQUIDATED`,
    ),
    "",
  ].join("\n");

const SELLER_CELL = `"${SELLER}"`;

/** The same with blank lines: a file of more than 1 MiB goes to disk. */
export const largeEntriesCsv = (): string => entriesCsv() + "\n".repeat(1 << 20);

/** An ACE ES-003 export of the same entries, with two rows per entry. */
export function es003Csv(numbers: readonly string[]): string {
  const head =
    "Entry Summary Number,Entry Type Code,Importer Number,Importer Name,Entry Date,Country of Origin Code," +
    "Tariff Ordinal Number,HTS Number - Full,Line Goods Value Amount,Line Tariff Duty Amount,Liquidation Status";
  const rows = numbers.flatMap((number) => [
    `${number},01,12-3456789,${SELLER_CELL},2025-06-01,CN,1,8471300100,1000.00,0.00,NOT_LIQUIDATED`,
    `${number},01,12-3456789,${SELLER_CELL},2025-06-01,CN,2,99030124,0.00,100.00,NOT_LIQUIDATED`,
  ]);
  return [head, ...rows, ""].join("\n");
}

/** A valid entry number: filer code, seven digits, check digit (diligence-model §1). */
export function entryNumber(filer: string, serial: number, leading = ""): string {
  const ten = filer + leading + String(serial).padStart(7 - leading.length, "0");
  const digits = [...ten].map((letter) =>
    "0123456789".includes(letter) ? Number(letter) : letterValue(letter),
  );
  const sum = digits.reduce((total, digit, index) => {
    const value = index % 2 === 1 ? digit * 2 : digit;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return ten + String((10 - (sum % 10)) % 10);
}

function letterValue(letter: string): number {
  const index = letter.charCodeAt(0) - 65;
  return index < 18 ? (index % 9) + 1 : index - 16;
}

/** Opens a request whose bytes the test writes itself. @param line its method and path */
export function rawRequest(
  { port }: Sandbox,
  line: string,
  headers: Readonly<Record<string, string>> = {},
  agent?: Agent,
) {
  const [method, path] = line.split(" ");
  return httpRequest({ host: "127.0.0.1", port, method, path, headers, agent });
}

/** The same with the partner's credential. */
export const partnerRequest = (
  sandbox: Sandbox,
  line: string,
  headers: Readonly<Record<string, string>> = {},
) => rawRequest(sandbox, line, { ...bearer(sandbox.credentials.sandbox.apiKey), ...headers });

/** Polls until the condition holds; the test's own timeout limits it. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(2);
}

export const readFixture = (name: string): Uint8Array => readFileSync(fixture(name));

/** An entry number without a scripted behaviour. */
export const ordinaryEntryNumber = (serial: number): string => entryNumber("ZZ9", serial);

/** An entry number whose digit scripts the run (product.md §5, "Scenario by data"). */
export const scriptedEntryNumber = (digit: string, serial = 7): string => entryNumber("SBX", serial, digit);

/** Posts JSON. */
export const post = (
  sandbox: Sandbox,
  path: string,
  body: unknown,
  init: Parameters<typeof call>[2] = {},
): Promise<ApiResponse> =>
  call(sandbox, path, {
    method: "POST",
    body: JSON.stringify(body),
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string>) },
  });

/** Status, code and error locations of a problem response. */
export const problemOf = ({ status, body }: ApiResponse) => ({
  status,
  code: body.code,
  at: ((body.errors ?? []) as { pointer?: string; parameter?: string }[]).map(
    ({ pointer, parameter }) => pointer ?? parameter,
  ),
});

/** Waits for the response to a raw request, and reads it. */
export async function readResponse(request: ClientRequest) {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const { statusCode: status = 0, headers } = response;
  return { status, headers, text: await text(response) };
}

/** Credentials of another partner and of another environment than the sandbox's default. */
export const listOtherCredentials = ({ credentials }: Sandbox) =>
  [
    ["another partner", credentials.otherPartner.apiKey],
    ["another environment", credentials.production.apiKey],
  ] as const;
