import { isDeepStrictEqual } from "node:util";
import {
  asList,
  asRecord,
  ContractReader,
  type FieldView,
  type FieldViews,
  findChangedReferences,
  listReferences,
  type Node,
  type SchemaView,
  unionKeys,
} from "./contract-reader.ts";
import {
  type Change,
  compareDeep,
  compareKeywords,
  compareMembers,
  compareRequired,
  compareSecurity,
  compareTypes,
  compareValues,
  type Difference,
} from "./difference.ts";
import { differBeyondWords, type Effect, type Place } from "./effects.ts";

type Side = "request" | "response";

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];

/** The differences of the second document: operation by operation in the order of the first, then the rest. */
export function compareContracts(before: Node, after: Node): Difference[] {
  if (isDeepStrictEqual(before, after)) return [];
  const comparison = new Comparison(new ContractReader(before), new ContractReader(after));
  const found = [...comparison.compareOperations(), ...comparison.compareRest()];
  if (found.some(({ effect }) => effect !== "words")) return found;
  const all = { operation: "*", location: "" };
  if (differBeyondWords(before, after))
    return [...found, { ...all, effect: "changes", message: "the documents say the same in other ways" }];
  return found.length > 0 ? found : [{ ...all, effect: "words", message: "only descriptions differ" }];
}

class Comparison {
  readonly #before: ContractReader;
  readonly #after: ContractReader;

  readonly #changed: ReadonlySet<string>;

  constructor(before: ContractReader, after: ContractReader) {
    this.#before = before;
    this.#after = after;
    this.#changed = findChangedReferences(before.document, after.document);
  }

  #isSame(before: unknown, after: unknown): boolean {
    if (!isDeepStrictEqual(before, after)) return false;
    return this.#changed.size === 0 || ![...listReferences(before)].some((each) => this.#changed.has(each));
  }

  compareOperations(): Difference[] {
    const [before, after] = [this.#before, this.#after].map(({ document }) => asRecord(document.paths)) as [
      Node,
      Node,
    ];
    const isShared = isDeepStrictEqual(this.#before.document.security, this.#after.document.security);
    return unionKeys(before, after).flatMap((path) => {
      if (isShared && this.#isSame(before[path], after[path])) return [];
      const [items, others] = [this.#before.resolve(before[path]), this.#after.resolve(after[path])];
      const own = compareMembers("", items, others, [...METHODS, "parameters"]);
      const operations = METHODS.flatMap((method) => {
        const operation = `${method.toUpperCase()} ${path}`;
        const [one, other] = [readOperation(items, method), readOperation(others, method)];
        return this.#compareOperation(one, other).map((row) => ({ operation, ...row }));
      });
      return [...operations, ...own.map((row) => ({ operation: path, ...row }))];
    });
  }

  #compareOperation(before: Node | null, after: Node | null): Change[] {
    if (!before && !after) return [];
    if (!after) return [{ location: "", effect: "breaks", message: "the operation is gone" }];
    if (!before) return [{ location: "", effect: "adds", message: "the operation is new" }];
    return [
      ...compareMembers("", before, after, ["parameters", "requestBody", "responses", "security"]),
      ...compareSecurity(
        before.security ?? this.#before.document.security,
        after.security ?? this.#after.document.security,
      ),
      ...this.#compareFields(
        "request",
        "parameter ",
        readParameters(this.#before, before),
        readParameters(this.#after, after),
        { removed: "changes" },
      ),
      ...this.#compareBody("request", "request", before.requestBody, after.requestBody),
      ...this.#compareResponses(asRecord(before.responses), asRecord(after.responses)),
    ];
  }

  #compareBody(side: Side, location: string, before: unknown, after: unknown): Change[] {
    if (this.#isSame(before, after)) return [];
    const [old, now] = [this.#before.resolve(before), this.#after.resolve(after)];
    const [wasRequired, isRequired] = [old.required === true, now.required === true];
    const isNew = before === undefined;
    return [
      ...(isNew ? [] : compareMembers(location, old, now, ["content", "headers", "required"])),
      ...(!isNew && side === "request"
        ? compareRequired({ place: side, location }, wasRequired, isRequired)
        : []),
      ...this.#compareFields(
        side,
        `${location} header `,
        readHeaders(this.#before, old.headers),
        readHeaders(this.#after, now.headers),
      ),
      ...this.#compareFields(side, `${location} `, readMedia(old.content), readMedia(now.content), {
        added: !isNew ? "adds" : isRequired ? "breaks" : "changes",
        removed: "breaks",
        // The fields of a body are named without its media type.
        innerPrefix: `${location} `,
      }),
    ];
  }

  /** The first success of one document is that of the other, whatever their statuses. */
  #compareResponses(before: Node, after: Node): Change[] {
    const [was, is] = [before, after].map((each) =>
      Object.keys(each)
        .filter((status) => /^2/.test(status))
        .sort(),
    ) as [string[], string[]];
    const [first, other] = [was[0] ?? "", is[0] ?? ""];
    const rows: Change[] = this.#compareBody("response", "response", before[first] ?? {}, after[other] ?? {});
    if (first !== other) {
      const message = `success is ${other || "not described"}, was ${first || "not described"}`;
      rows.push({ location: "status", effect: "changes", message });
    }
    const byRow = new Map<string, { row: Change; statuses: string[] }>();
    for (const status of unionKeys(before, after)) {
      if (status === first || status === other) continue;
      for (const row of this.#compareStatus(before[status], after[status])) {
        const known = byRow.get(JSON.stringify(row));
        if (known) known.statuses.push(status);
        else byRow.set(JSON.stringify(row), { row, statuses: [status] });
      }
    }
    const others = [...byRow.values()].map(({ row, statuses }) => ({
      ...row,
      location: `response ${statuses.join(", ")}${row.location.replace(/^response/, "")}`,
    }));
    return [...rows, ...others];
  }

  #compareStatus(before: unknown, after: unknown): Change[] {
    if (before === undefined) return [{ location: "response", effect: "adds", message: "is new" }];
    if (after === undefined) return [{ location: "response", effect: "changes", message: "is gone" }];
    return this.#compareBody("response", "response", before, after);
  }

  /** @param location of the schema itself; `prefix` precedes the names of its fields */
  #compareSchemas(
    side: Side,
    location: string,
    prefix: string,
    before: SchemaView,
    after: SchemaView,
  ): Change[] {
    const spot = { place: placeOf(side, before), location };
    return [
      ...compareTypes(spot, before.types, after.types),
      ...compareValues(spot, before.values, after.values),
      ...compareKeywords(spot, before, after),
      ...this.#compareFields(side, prefix, before.fields, after.fields, {}, before.path, after.path),
    ];
  }

  #compareFields(
    side: Side,
    prefix: string,
    before: FieldViews,
    after: FieldViews,
    { added, removed, innerPrefix }: FieldRules = {},
    oldPath?: ReadonlySet<Node>,
    newPath?: ReadonlySet<Node>,
  ): Change[] {
    return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
      const [old, now] = [before.get(name), after.get(name)];
      const location = joinName(prefix, name);
      if (old && now && old.required === now.required && this.#isSame(old.schemas, now.schemas)) return [];
      if (!old) {
        const isRequired = side === "request" && now?.required === true;
        const effect = added ?? (isRequired ? "breaks" : "adds");
        return [{ location, effect, message: isRequired ? "is new, and required" : "is new" }];
      }
      const view = this.#before.readSchema(old.schemas, oldPath);
      const place = placeOf(side, view);
      if (!now) {
        const effect = removed ?? (place === "assumed response" ? "changes" : "breaks");
        const isRefused = side === "request" && effect === "breaks";
        return [{ location, effect, message: isRefused ? "is no longer accepted" : "is gone" }];
      }
      const other = this.#after.readSchema(now.schemas, newPath);
      return [
        ...compareRequired({ place, location }, old.required, now.required),
        ...this.#compareSchemas(side, location, innerPrefix ?? location, view, other),
      ];
    });
  }

  /** What belongs to no operation: the document's own members, and the ways to authenticate. */
  compareRest(): Difference[] {
    const { paths: _1, security: _2, components: old, ...own } = this.#before.document;
    const { paths: _3, security: _4, components: now, ...others } = this.#after.document;
    const [before, after] = [old, now].map((components) => asRecord(asRecord(components).securitySchemes));
    return [
      ...compareDeep("description", "", own, others),
      ...compareDeep("credential", "credential", before, after),
    ].map((row) => ({ operation: "*", ...row }));
  }
}

function readOperation(item: Node, method: string): Node | null {
  const operation = asRecord(item[method]);
  if (item[method] === undefined || item[method] !== operation) return null;
  return { ...operation, parameters: [...asList(item.parameters), ...asList(operation.parameters)] };
}

/** What is different from the fields of a schema. */
interface FieldRules {
  readonly added?: Effect;
  readonly removed?: Effect;
  readonly innerPrefix?: string;
}

function toField(node: Node): FieldView {
  const { in: _1, name: _2, required, schema, ...own } = node;
  return { schemas: [own, schema], required: required === true };
}

const readParameters = (reader: ContractReader, { parameters }: Node): FieldViews =>
  new Map(
    asList(parameters)
      .map((parameter) => reader.resolve(parameter))
      .map((parameter) => [`${parameter.in} ${parameter.name}`, toField(parameter)]),
  );

const readHeaders = (reader: ContractReader, headers: unknown): FieldViews =>
  new Map(Object.entries(asRecord(headers)).map(([name, header]) => [name, toField(reader.resolve(header))]));

const readMedia = (content: unknown): FieldViews =>
  new Map(Object.entries(asRecord(content)).map(([type, media]) => [type, toMedia(asRecord(media))]));

const toMedia = ({ schema, ...own }: Node): FieldView => ({ schemas: [own, schema], required: false });

const joinName = (prefix: string, name: string): string =>
  name === "[]"
    ? `${prefix.trimEnd()}[]`.replace(/^(request|response)\[/, "$1 [")
    : /[ .]$|^$/.test(prefix)
      ? prefix + name
      : `${prefix}.${name}`;

const placeOf = (side: Side, { basis }: SchemaView): Place =>
  side === "request" ? "request" : basis === "assumed" ? "assumed response" : "documented response";
