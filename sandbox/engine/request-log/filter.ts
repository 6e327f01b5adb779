import type { RequestFilter } from "../../api/requests.ts";
import { checkFields, type FieldChecks, FLAG, integer, pattern } from "../check-fields.ts";
import { OPERATION } from "../check-operation.ts";
import type { RecordedRequest } from "./request-log.ts";

// A condition with a typing error would never be met, and its negation always.
const FILTERS: FieldChecks<RequestFilter> = {
  operation: OPERATION,
  status: {
    isValid: (value) => /^[1-5](\d\d|xx)$/i.test(String(value)),
    expected: "a status such as 404, or a class such as 4xx",
  },
  method: pattern(/^[a-z]+$/i, "a method such as POST"),
  path: pattern(/^\//, "the beginning of a path, such as /v1/clients"),
  since: integer(0),
  fault: FLAG,
  limit: integer(1),
};

/** @throws ClaimsError `validation_failed` */
export function parseFilter(filter: unknown) {
  const refusal = { what: "a filter of requests", noun: "field" } as const;
  const given = checkFields<RequestFilter>(filter, FILTERS, refusal);
  const { operation, method, path, since, fault, limit = Number.POSITIVE_INFINITY } = given;
  const status = given.status === undefined ? null : String(given.status).replace(/xx/i, "..");
  const isStatus = status === null ? null : new RegExp(`^${status}$`);
  return {
    matches: ({ trace, result, number, target, method: used }: RecordedRequest): boolean =>
      (operation === undefined || trace.operation === operation) &&
      (isStatus === null || isStatus.test(String(result?.status))) &&
      (method === undefined || used === method.toUpperCase()) &&
      (path === undefined || target.startsWith(path)) &&
      (since === undefined || number > since) &&
      (fault === undefined || (trace.fault !== null) === fault),
    limit,
  };
}
