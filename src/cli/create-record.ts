import type { TObject } from "typebox";
import type { Answer } from "../client/client.ts";
import { findJobId } from "../client/job-id.ts";
import type { Operation } from "../contract/operation.ts";
import { ClaimsError } from "../domain/errors.ts";
import { isRecord } from "../domain/json.ts";
import { aliasFor, viaAlias } from "./aliases/via-alias.ts";
import { parseAnswer } from "./answer.ts";
import type { Call, OptionSpecs, OptionValues } from "./command.ts";
import type { Context } from "./context.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { journaled } from "./journal/journaled.ts";
import { jsonWrite } from "./journal/json-write.ts";
import { bodyOptions } from "./json-body.ts";
import type { Block, Output } from "./output/output.ts";
import { type Item, idOf } from "./paged-list.ts";
import { recordCard } from "./record-card.ts";
import { say } from "./say.ts";
import { guardWrite, openService, rehearses, type Service } from "./service.ts";

/** What every command takes that makes something out of fields. */
export const createOptions = {
  ...bodyOptions,
  ...viaAlias,
  ...idempotencyKey,
} as const satisfies OptionSpecs;

interface CreateCall extends Call {
  readonly options: OptionValues<typeof viaAlias & typeof idempotencyKey>;
}

/** What is made, and how it is shown. */
interface Creation {
  /** As messages and titles name it: `client`. */
  readonly what: string;
  readonly operation: (
    operations: Service["operations"],
  ) => Operation & { readonly request: { readonly kind: "json"; readonly schema: TObject } };
  /** Path parameters, where the caller names what is made. */
  readonly params?: Readonly<Record<string, string>>;
  readonly json: Item;
  /** What a person sees; the fields as they came, unless there is something better. */
  readonly blocks?: (record: Item, id: string | null) => readonly Block[];
  /** What is told instead, where it is known what was made. */
  readonly followed?: (service: Service, id: string) => Promise<Output>;
}

/** Sends the body, over the alias where that is asked for, as a write that the journal knows; shows what was made. */
export async function createRecord(
  context: Context,
  call: CreateCall,
  { what, operation: choose, params, json, blocks = asCard(what), followed }: Creation,
): Promise<Output> {
  const { global, options } = call;
  const service = await openService(context, call);
  await guardWrite(context, global, service);
  const { client, operations } = service;
  const operation = choose(operations);
  const alias = await aliasFor(context, operation.id, options, json);
  const write = { ...(await jsonWrite(operation.id, json, params)), given: options.idempotencyKey };
  const answer = await journaled(context, call, service, write, (key) =>
    client.send(operation, { json, alias, idempotencyKey: key, ...(params && { params }) }),
  );
  const record = recordIn(answer, what);
  const id = idOf(record) ?? findJobId(null, answer.headers.location);
  if (followed && id !== null) return followed(service, id);
  if (Object.keys(record).length === 0 && !rehearses(global))
    say(context, `the service made the ${what}${id === null ? "" : ` ${id}`}, and tells nothing of it`);
  const isWanted = followed !== undefined || global.quiet === true;
  const failure = id === null && isWanted && !rehearses(global) ? noId(what) : undefined;
  return { kind: "record", json: answer.body, id, blocks: blocks(record, id), failure };
}

/** A service may answer with nothing but where the new thing is. */
function recordIn(answer: Answer, what: string): Item {
  const made = answer.body.length === 0 ? null : parseAnswer(answer, `the new ${what}`);
  return isRecord(made) ? made : {};
}

const noId = (what: string): ClaimsError =>
  new ClaimsError("rejected", "no_id", `the service made the ${what}, but its answer names no id`, {
    hint: "do not run it again before you have looked: that would make another",
  });

const asCard = (what: string) => (record: Item, id: string | null) => [
  recordCard(record, [what.charAt(0).toUpperCase() + what.slice(1), id].filter(Boolean).join(" ")),
];
