import type { FieldSchema } from "../../../src/contract/observed/align.ts";
import {
  listStatedInputs,
  type ObservedForms,
  rootPlaceOf,
} from "../../../src/contract/observed/observed-forms.ts";
import type { ObservedService } from "../../../src/contract/observed/observed-service.ts";
import { namePlace } from "../../../src/contract/observed/places.ts";
import type { Operation } from "../../../src/contract/operation.ts";
import { ALL_OPERATIONS } from "../../../src/contract/operations.ts";
import { isRecord } from "../../../src/domain/json.ts";

/** The names of query parameters and body fields as an observed service has them, besides those of the contract. */
export interface RequestNames {
  toContractQuery(operation: Operation, querystring: string): string;
  toContractBody(operation: Operation, body: unknown): unknown;
  /** The name that the service has for a field of a request. */
  toObserved(operation: string, field: string): string;
}

/** A request has the names that the service's own document states, else those that the same fields have in the responses. */
export function createRequestNames(service: ObservedService, forms: ObservedForms): RequestNames {
  const stated = listStatedInputs(service);
  const byOperation = new Map(
    ALL_OPERATIONS.map((each) => {
      const own = stated.filter(({ operation, name }) => operation === each.id && name !== null);
      return [each.id, listNames(each, forms, new Map(own.map(({ field, name }) => [field, name])))];
    }),
  );

  const toContract = ({ id }: Operation, name: string): string =>
    byOperation.get(id)?.find(({ observed }) => observed === name)?.field ?? name;

  return {
    toContractQuery(operation, querystring) {
      const parameters = new URLSearchParams(querystring);
      const isRenamed = [...parameters.keys()].some((name) => toContract(operation, name) !== name);
      if (!isRenamed) return querystring;
      const pairs = [...parameters].map(([name, value]) => [toContract(operation, name), value]);
      return new URLSearchParams(pairs).toString();
    },

    /** Keeps a field that the request has under both names: the contract then refuses the observed one. */
    toContractBody(operation, body) {
      if (!isRecord(body)) return body;
      const entries = Object.entries(body).map(([name, value]) => {
        const field = toContract(operation, name);
        return [Object.hasOwn(body, field) ? name : field, value];
      });
      return Object.fromEntries(entries);
    },

    toObserved: (operation, field) =>
      byOperation.get(operation)?.find((each) => each.field === field)?.observed ?? field,
  };
}

interface RequestName {
  readonly field: string;
  readonly observed: string;
}

/** @param stated in the service's own document */
function listNames(
  operation: Operation,
  forms: ObservedForms,
  stated: ReadonlyMap<string, string | null>,
): RequestName[] {
  const { id, query, request, response } = operation;
  const { properties = {} } = response.schema as FieldSchema;
  const { items } = properties.data ?? {};
  const place = items ? namePlace(items, `${id}.data[]`) : rootPlaceOf(id);
  const inputs = {
    ...query?.properties,
    ...(request?.kind === "json" && request.schema.properties),
  } as Readonly<Record<string, { readonly "x-basis"?: string }>>;
  const { paging } = forms.listOf(id);
  const pagingNames = new Map(
    items && paging
      ? [
          ["cursor", paging.cursor],
          ["limit", paging.limit],
        ]
      : [],
  );
  return Object.entries(inputs).flatMap(([field, schema]) => {
    const name =
      stated.get(field) ?? pagingNames.get(field) ?? forms.findField(id, place, field)?.name ?? field;
    const isFixed = schema["x-basis"] === "documented" || name.includes(".");
    return name === field || isFixed || Object.hasOwn(inputs, name) ? [] : [{ field, observed: name }];
  });
}
