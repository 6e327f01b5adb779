import { EVENT } from "../event.ts";
import { ALL_OPERATIONS } from "../operations.ts";
import { listRouteNames } from "../routes.ts";
import type { ObservedService } from "./observed-service.ts";
import { listFieldPlaces } from "./places.ts";

const FORM =
  /^(?:null|object|array|boolean|decimal|integer(?::(?:seconds|milliseconds))?|text(?::[a-z0-9-]+)?)$/;

/** The first operation, place, field or form that does not exist, by its pointer; null if all do. */
export function findUnknownName(service: ObservedService): string | null {
  const operations = new Set([...ALL_OPERATIONS.map(({ id }) => id), EVENT.id]);
  const templates = listRouteNames();
  const fields = new Set(listFieldPlaces().map(({ place, field }) => `${place}\n${field}`));
  const checks: readonly (readonly [pointer: string, value: string, isKnown: boolean])[] = [
    ...service.responses.flatMap(({ operation, template }, index) => [
      [`/responses/${index}/operation`, operation, operations.has(operation)] as const,
      [`/responses/${index}/template`, template, templates.has(`${operation} ${template}`)] as const,
    ]),
    ...service.fields.flatMap(({ operation, place, field, forms }, index) => [
      [`/fields/${index}/operation`, operation, operations.has(operation)] as const,
      [`/fields/${index}/field`, `${place}.${field}`, fields.has(`${place}\n${field}`)] as const,
      [`/fields/${index}/forms`, forms.join(), forms.every((form) => FORM.test(form))] as const,
    ]),
    ...service.errors.map(
      ({ operation }, index) => [`/errors/${index}/operation`, operation, operations.has(operation)] as const,
    ),
  ];
  const unknown = checks.find(([, , isKnown]) => !isKnown);
  return unknown ? `${unknown[0]} is ${JSON.stringify(unknown[1])}, which does not exist` : null;
}
