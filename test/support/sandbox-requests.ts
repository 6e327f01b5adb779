import { readFileSync } from "node:fs";
import { type Agent, request as httpRequest } from "node:http";
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

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

export async function call(
  sandbox: Sandbox,
  path: string,
  init: RequestInit & { token?: string | null } = {},
): Promise<Reply> {
  const { token = sandbox.credentials.sandbox.apiKey, ...rest } = init;
  const headers = new Headers(init.headers);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  const answer = await fetch(sandbox.url + path, { ...rest, headers });
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.match(/^application\/(problem\+)?json/);
  return {
    status: answer.status,
    headers: answer.headers,
    text,
    body: json && text !== "" ? JSON.parse(text) : {},
  };
}

export const submit = (
  sandbox: Sandbox,
  form: FormData,
  init: Parameters<typeof call>[2] = {},
): Promise<Reply> => call(sandbox, "/v1/diligence/submit", { method: "POST", body: form, ...init });

/** Submits a file that must be taken, and waits until its first run has ended or waits on the clock. */
export async function submitAndSettle(sandbox: Sandbox, parts: FormParts = {}): Promise<string> {
  const answer = await submit(sandbox, submissionForm(parts));
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  await sandbox.idle();
  return String(answer.body.jobId);
}

export const readJob = (
  sandbox: Sandbox,
  what: string,
  jobId: string,
  init: Parameters<typeof call>[2] = {},
) => call(sandbox, `/v1/diligence/${what}/${jobId}`, init);

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

/** The same entries as an ACE ES-003 export: two rows an entry. */
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

/** A right entry number: filer code, seven digits, check digit (diligence-model §1). */
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

/** Sends bytes as they are and reads until the connection ends. */
export function rawRequest(
  sandbox: Sandbox,
  options: { method: string; path: string; headers: Record<string, string>; agent?: Agent },
) {
  return httpRequest({ host: "127.0.0.1", port: sandbox.port, ...options });
}

/** Asks again until it is so; the time limit is the test's own. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await setTimeout(2);
}

export const readFixture = (name: string): Uint8Array => readFileSync(fixture(name));

/** An entry number that scripts nothing. */
export const ordinaryEntryNumber = (serial: number): string => entryNumber("ZZ9", serial);

/** One that scripts the run; the digit says how (product.md §5, "Scenario by data"). */
export const scriptedEntryNumber = (digit: string, serial = 7): string => entryNumber("SBX", serial, digit);

/** Posts JSON. */
export const post = (
  sandbox: Sandbox,
  path: string,
  body: unknown,
  init: Parameters<typeof call>[2] = {},
): Promise<Reply> =>
  call(sandbox, path, {
    method: "POST",
    body: JSON.stringify(body),
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string>) },
  });

/** What a refusal says, as few words as a test needs: status, code, and where each fault is. */
export const problemOf = ({ status, body }: Reply) => ({
  status,
  code: body.code,
  at: ((body.errors ?? []) as { pointer?: string; parameter?: string }[]).map(
    ({ pointer, parameter }) => pointer ?? parameter,
  ),
});

/** A body that a create must refuse, and the JSON pointers of its errors. */
export type InvalidBody = readonly [what: string, body: unknown, at: readonly string[]];

/** The callers of another partner or environment than the sandbox's own. */
export const listOtherCredentials = ({ credentials }: Sandbox) =>
  [
    ["another partner", credentials.otherPartner.apiKey],
    ["another environment", credentials.production.apiKey],
  ] as const;
