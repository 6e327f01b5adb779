import type { TObject } from "typebox";
import type { Operation } from "../../contract/operations/operation.ts";
import { type ClaimsError, rejectedError, usageError } from "../../domain/errors.ts";
import { isRecord, isTooDeep } from "../../domain/json.ts";
import { readLastSegment } from "../../domain/links.ts";
import { parseJsonResponse } from "../connection/json-response.ts";
import { confirmProductionWrite, openService, type Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { readInput } from "../files/input-file.ts";
import type { BaseInvocation } from "../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { requireContractFields } from "../framework/response-fields.ts";
import type { Block, Output } from "../output/output.ts";
import { toRecordCard } from "../output/record-card.ts";
import { printMessage } from "../output/stderr.ts";
import { describeJsonWrite } from "../write-log/describe-write.ts";
import { sendLogged } from "../write-log/send-logged.ts";
import { writeOptions } from "../write-log/write-options.ts";
import { idOf, type ServiceRecord } from "./paged-list.ts";

export const createRecordOptions = {
  input: {
    value: "file",
    help: "body as a JSON object, for fields without an option; options replace its fields; - for stdin",
  },
  ...writeOptions,
} as const satisfies OptionSpecs;

interface CreateInvocation extends BaseInvocation {
  readonly options: OptionValues<typeof createRecordOptions>;
}

export interface CreateRequest {
  /** The record as messages and titles name it: `client`. */
  readonly noun: string;
  readonly operation: (
    operations: Service["operations"],
  ) => Operation & { readonly request: { readonly kind: "json"; readonly schema: TObject } };
  /** Path parameters, for an operation that takes the id of the new record. */
  readonly params?: Readonly<Record<string, string>>;
  /** The fields that options give. They replace those of `--input`. */
  readonly fields: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Fields that neither may give. */
  readonly defaults?: ServiceRecord;
  /** The output on a terminal. Default: a card of the fields. */
  readonly blocks?: (record: ServiceRecord, id: string | null) => readonly Block[];
  /** Replaces the output if the id is known. */
  readonly onCreated?: (service: Service, id: string) => Promise<Output>;
}

export async function createRecord(
  context: Context,
  call: CreateInvocation,
  { noun, operation: choose, params, blocks = renderAsCard(noun), onCreated, ...body }: CreateRequest,
): Promise<Output> {
  const { global, options } = call;
  const json = { ...body.defaults, ...(await buildRequestBody(context, body.fields, options.input)) };
  const service = await openService(context, call);
  const { client, operations, isDryRun } = service;
  const operation = choose(operations);
  if (!onCreated) requireContractFields(global.fields, operation);
  await confirmProductionWrite(context, global, service, `write the ${noun}`);
  const write = describeJsonWrite(operation.id, json, params);
  const response = await sendLogged(context, service, write, options, (key) =>
    client.send(operation, { json, idempotencyKey: key, ...(params && { params }) }),
  );
  // A response may have only a `Location`.
  const document = response.body.length === 0 ? null : parseJsonResponse(response, `the new ${noun}`);
  const record = isRecord(document) ? document : {};
  const id = idOf(record) ?? readLastSegment(response.headers.location);
  if (onCreated && id !== null && !response.failure) return onCreated(service, id);
  if (Object.keys(record).length === 0 && !isDryRun) {
    const name = id === null ? noun : `${noun} ${id}`;
    printMessage(context, `the service created the ${name}, but its response has no fields`);
  }
  const needsId = (onCreated !== undefined || global.quiet === true) && !isDryRun;
  const failure = response.failure ?? (id === null && needsId ? missingIdError(noun) : undefined);
  return { kind: "record", json: response.body, record, id, blocks: blocks(record, id), failure };
}

const missingIdError = (noun: string): ClaimsError =>
  rejectedError("response_incomplete", `the service created the ${noun}, but its response has no id`, {
    hint: "look for the new record before you run the command again, which would create another one",
  });

export const renderAsCard = (noun: string) => (record: ServiceRecord, id: string | null) => [
  toRecordCard(noun, record, [noun.charAt(0).toUpperCase() + noun.slice(1), id].filter(Boolean).join(" ")),
];

/** The service decides which fields it requires. */
async function buildRequestBody(
  context: Context,
  fields: CreateRequest["fields"],
  input: string | undefined,
) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (input === undefined && given.length === 0) {
    throw usageError("missing_option", "the body has no fields", {
      hint: "give the options that --help lists, or --input FILE",
    });
  }
  const base =
    input === undefined ? {} : parseBody(await readInput(context, input), input === "-" ? "stdin" : input);
  return { ...base, ...Object.fromEntries(given) };
}

/** Other bytes than UTF-8 would reach the service as other characters (RFC 8259 §8.1). */
function parseBody(bytes: Uint8Array, source: string): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    body = null;
  }
  if (isRecord(body) && !isTooDeep(body)) return body;
  throw usageError("invalid_input", `${source} is not a JSON object in UTF-8`, {
    hint: 'write {"field": "value"}',
  });
}
