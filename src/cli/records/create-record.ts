import type { TObject } from "typebox";
import type { ApiResponse } from "../../client/client.ts";
import { findJobId } from "../../client/job-id.ts";
import type { Operation } from "../../contract/operation.ts";
import { type ClaimsError, rejectedError } from "../../domain/errors.ts";
import { isRecord } from "../../domain/json.ts";
import { parseJsonResponse } from "../connection/json-response.ts";
import { confirmProductionWrite, isDryRun, openService, type Service } from "../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../connection/via-alias.ts";
import type { Context } from "../context.ts";
import type { BaseInvocation } from "../framework/command.ts";
import type { OptionSpecs, OptionValues } from "../framework/options.ts";
import { idempotencyKeyOption } from "../framework/values.ts";
import type { Block, Output } from "../output/output.ts";
import { toRecordCard } from "../output/record-card.ts";
import { printMessage } from "../output/stderr.ts";
import { describeJsonWrite } from "../write-log/describe-write.ts";
import { sendLogged } from "../write-log/send-logged.ts";
import { idOf, type ServiceRecord } from "./paged-list.ts";
import { requestBodyOptions } from "./request-body.ts";

/** What every command takes that makes something out of fields. */
export const createRecordOptions = {
  ...requestBodyOptions,
  ...viaAliasOptions,
  ...idempotencyKeyOption,
} as const satisfies OptionSpecs;

interface CreateInvocation extends BaseInvocation {
  readonly options: OptionValues<typeof viaAliasOptions & typeof idempotencyKeyOption>;
}

/** What is made, and how it is shown. */
export interface CreateRequest {
  /** As messages and titles name it: `client`. */
  readonly what: string;
  readonly operation: (
    operations: Service["operations"],
  ) => Operation & { readonly request: { readonly kind: "json"; readonly schema: TObject } };
  /** Path parameters, where the caller names what is made. */
  readonly params?: Readonly<Record<string, string>>;
  readonly json: ServiceRecord;
  /** What a person sees; the fields as they came, unless there is something better. */
  readonly blocks?: (record: ServiceRecord, id: string | null) => readonly Block[];
  /** What is told instead, where it is known what was made. */
  readonly onCreated?: (service: Service, id: string) => Promise<Output>;
}

/** Sends the body, over the alias where that is asked for, as a write that the journal knows; shows what was made. */
export async function createRecord(
  context: Context,
  call: CreateInvocation,
  { what, operation: choose, params, json, blocks = renderAsCard(what), onCreated: followed }: CreateRequest,
): Promise<Output> {
  const { global, options } = call;
  const service = await openService(context, call);
  await confirmProductionWrite(context, global, service);
  const { client, operations } = service;
  const operation = choose(operations);
  const alias = await chooseAlias(context, operation.id, options, json);
  const write = { ...(await describeJsonWrite(operation.id, json, params)), given: options.idempotencyKey };
  const answer = await sendLogged(context, service, write, (key) =>
    client.send(operation, { json, alias, idempotencyKey: key, ...(params && { params }) }),
  );
  const record = readCreatedRecord(answer, what);
  const id = idOf(record) ?? findJobId(null, answer.headers.location);
  if (followed && id !== null) return followed(service, id);
  if (Object.keys(record).length === 0 && !isDryRun(global))
    printMessage(
      context,
      `the service made the ${what}${id === null ? "" : ` ${id}`}, and tells nothing of it`,
    );
  const isWanted = followed !== undefined || global.quiet === true;
  const failure = id === null && isWanted && !isDryRun(global) ? missingIdError(what) : undefined;
  return { kind: "record", json: answer.body, id, blocks: blocks(record, id), failure };
}

/** A service may answer with nothing but where the new thing is. */
function readCreatedRecord(answer: ApiResponse, what: string): ServiceRecord {
  const made = answer.body.length === 0 ? null : parseJsonResponse(answer, `the new ${what}`);
  return isRecord(made) ? made : {};
}

const missingIdError = (what: string): ClaimsError =>
  rejectedError("no_id", `the service made the ${what}, but its answer names no id`, {
    hint: "do not run it again before you have looked: that would make another",
  });

export const renderAsCard = (what: string) => (record: ServiceRecord, id: string | null) => [
  toRecordCard(record, [what.charAt(0).toUpperCase() + what.slice(1), id].filter(Boolean).join(" ")),
];
