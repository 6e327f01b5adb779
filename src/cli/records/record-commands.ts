import type { OperationInput } from "../../client/request.ts";
import { ID_KINDS } from "../../domain/id-kinds.ts";
import { fetchRecord } from "../connection/record-environment.ts";
import { openService, type Service } from "../connection/service.ts";
import type { Context } from "../context.ts";
import { readId } from "../files/input-file.ts";
import type { AnyCommand, ArgumentSpec, BaseInvocation } from "../framework/command.ts";
import type { OptionSpec, OptionSpecs, OptionValues } from "../framework/options.ts";
import type { Block, ListColumn } from "../output/output.ts";
import { completeId } from "./complete-id.ts";
import { type CreateRequest, createRecord, createRecordOptions, renderAsCard } from "./create-record.ts";
import { idOf, pagingOptions, type ServiceRecord, toPagedList } from "./paged-list.ts";

/** Options that set fields of the request: the field of the option's name, unless `field` names another. */
type FieldOptions = Readonly<Record<string, OptionSpec & { readonly field?: string }>>;

/** What list, get and create declare alike. `noun` names the record, or the records of a list, in messages. */
interface RecordCommand extends Pick<AnyCommand, "summary" | "examples"> {
  readonly name?: string;
  readonly noun: string;
  readonly operation: NonNullable<AnyCommand["operation"]>;
}

type Invocation<Specs extends OptionSpecs = Readonly<Record<never, never>>> = BaseInvocation & {
  readonly args: Readonly<Record<string, string>>;
  readonly options: OptionValues<Specs>;
};

interface ListCommand extends RecordCommand {
  readonly filters?: FieldOptions;
  readonly columns: readonly ListColumn<ServiceRecord>[];
  readonly emptyMessage: string;
}

export const defineListCommand = (spec: ListCommand): AnyCommand => {
  const { noun, operation: choose, filters = {}, columns, emptyMessage, ...texts } = spec;
  return {
    name: "list",
    ...texts,
    operation: choose,
    remote: "reads",
    output: "list",
    options: { ...filters, ...pagingOptions },
    async run(context, call: Invocation<typeof pagingOptions>) {
      const service = await openService(context, call);
      const { client, operations } = service;
      const operation = choose(operations);
      const filter = await readFilter(context, service, filters, call.options);
      const pages = client.list(operation, { query: { ...filter, limit: call.options.limit } });
      return toPagedList(context, service, pages, call, { operation, noun, columns, filter, emptyMessage });
    },
  };
};

interface GetCommand extends RecordCommand {
  readonly output?: "record" | "document";
  /** Names the record. Without it, the service has only one. */
  readonly argument?: ArgumentSpec;
  readonly request?: (id: string) => Pick<OperationInput, "params" | "query">;
  readonly blocks?: (record: ServiceRecord, id: string) => readonly Block[];
}

export const defineGetCommand = (spec: GetCommand): AnyCommand => {
  const { noun, operation: choose, argument, request = () => ({}), ...rest } = spec;
  const { blocks = renderAsCard(noun), ...texts } = rest;
  return {
    name: "get",
    output: "record",
    ...texts,
    operation: choose,
    remote: "reads",
    arguments: argument ? [argument] : [],
    async run(context, call: Invocation) {
      const word = (argument && call.args[argument.name]) ?? "";
      const given = await readId(context, word, `pipe the id of one ${noun} in, or name it`);
      const service = await openService(context, call);
      const kind = ID_KINDS.find((each) => each === argument?.name);
      const id = kind ? await completeId(context, service, kind, given) : given;
      const operation = choose(service.operations);
      const { body, record } = await fetchRecord(service, operation, request(id), `${noun} ${id}`.trim());
      return { kind: "record", json: body, record, id: idOf(record) ?? id, blocks: blocks(record, id) };
    },
  };
};

interface CreateCommand extends RecordCommand, Pick<CreateRequest, "operation" | "blocks"> {
  readonly operation: CreateRequest["operation"];
  readonly fields: FieldOptions;
  /** Names the new record. Without it, the service chooses its id. */
  readonly argument?: ArgumentSpec;
  readonly params?: (id: string) => Readonly<Record<string, string>>;
}

export const defineCreateCommand = (spec: CreateCommand): AnyCommand => {
  const { noun, operation, fields, argument, params, blocks, ...texts } = spec;
  return {
    name: "create",
    ...texts,
    operation,
    remote: "writes",
    output: "record",
    arguments: argument ? [argument] : [],
    options: { ...fields, ...createRecordOptions },
    async run(context, call: Invocation<typeof createRecordOptions>) {
      const id = argument && call.args[argument.name];
      return createRecord(context, call, {
        noun,
        operation,
        ...(id !== undefined && params && { params: params(id) }),
        fields: readFields(fields, call.options),
        ...(blocks && { blocks }),
      });
    },
  };
};

/** The same as the fields of a request, with whole ids in place of their starts. */
async function readFilter(context: Context, service: Service, specs: FieldOptions, options: object) {
  const filter = readFields(specs, options);
  for (const [name, { field = name, value }] of Object.entries(specs)) {
    const kind = ID_KINDS.find((each) => each === value);
    const given = filter[field];
    if (kind && given !== undefined) filter[field] = await completeId(context, service, kind, given);
  }
  return filter;
}

const readFields = (specs: FieldOptions, options: object): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(specs).map(([name, { field = name }]) => [field, Object(options)[name]]));
