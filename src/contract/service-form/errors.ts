import { PROBLEMS } from "../problems.ts";
import { holdAt, parsePlace, putAtPlace, putConstants, valueAtPlace } from "./places.ts";
import type { ErrorsForm, ServiceForm } from "./service-form.ts";

export interface FormedError {
  readonly status: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly requestId?: string | undefined;
}

/** contract → service, as text or a JSON document; null where errors are as in the contract, but for their status. */
export function writeError(form: ServiceForm, error: FormedError) {
  const { errors } = form;
  if (!errors || !changesBody(errors)) return null;
  const status = writeStatus(form, error);
  const message = error.message ?? "";
  if (errors.isText)
    return { status, contentType: errors.contentType ?? "text/plain; charset=utf-8", body: `${message}\n` };
  const one: Record<string, unknown> = {};
  const put = (place: string | null | undefined, value: unknown) => {
    if (typeof place === "string" && value !== null && value !== undefined)
      putAtPlace(one, parsePlace(place), value);
  };
  put(errors.code, errors.codes?.[error.code ?? ""] ?? error.code);
  put(errors.message, message);
  put(errors.status, status);
  put(errors.requestId, error.requestId);
  const held = holdAt(parsePlace(errors.at ?? ""), errors.isList ? [one] : one);
  const body = putConstants(held, errors.constants);
  return { status, contentType: errors.contentType ?? "application/json; charset=utf-8", body };
}

const changesBody = ({ isText, at, isList, code, message }: ErrorsForm): boolean =>
  isText === true || isList === true || at !== undefined || code !== undefined || message !== undefined;

export const writeStatus = ({ errors }: ServiceForm, { code, status }: FormedError): number =>
  errors?.statuses?.[code ?? ""] ?? errors?.statuses?.[String(status)] ?? status;

/** service → contract; null where the form says nothing of errors. @param body the parsed body, or its text */
export function readError(form: ServiceForm, status: number, body: unknown): FormedError | null {
  const { errors } = form;
  if (!errors) return null;
  const own = readBody(errors, body);
  const known = Object.entries(errors.codes ?? {}).find(([, theirs]) => String(theirs) === own.code)?.[0];
  const code = known ?? own.code;
  return { ...own, code, status: readStatus(errors, status, code) };
}

/** The status of the contract, if the service has this one for no other error. */
function readStatus({ statuses = {} }: ErrorsForm, status: number, code: string | null): number {
  const names = Object.entries(statuses).flatMap(([name, theirs]) => (theirs === status ? [name] : []));
  const numbers = names.filter((name) => /^\d{3}$/.test(name)).map(Number);
  if (code !== null && names.includes(code))
    return Object.entries(PROBLEMS).find(([own]) => own === code)?.[1].status ?? status;
  return numbers.length === 1 && !Object.hasOwn(statuses, String(status)) ? (numbers[0] ?? status) : status;
}

function readBody(errors: ErrorsForm, body: unknown): Omit<FormedError, "status"> {
  if (errors.isText) return { code: null, message: typeof body === "string" ? body.trim() : null };
  const found = valueAtPlace(body, parsePlace(errors.at ?? ""));
  const one = Array.isArray(found) ? found[0] : found;
  const textAt = (place: string | null | undefined) => {
    const value = typeof place === "string" ? valueAtPlace(one, parsePlace(place)) : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : null;
  };
  return {
    code: textAt(errors.code),
    message: textAt(errors.message),
    requestId: textAt(errors.requestId) ?? undefined,
  };
}
