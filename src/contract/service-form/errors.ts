import { PROBLEMS } from "../problems.ts";
import { withExtras } from "./extras.ts";
import { holdAt, parsePlace, putAtPlace, putConstants, valueAtPlace } from "./places.ts";
import type { ErrorsForm, ServiceForm } from "./service-form.ts";

export interface FormedError {
  readonly status: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly requestId?: string | undefined;
  readonly operation?: string | null | undefined;
  readonly path?: string | undefined;
}

const findOwn = <Value>(
  values: Readonly<Record<string, Value>> | undefined,
  { operation, code }: Pick<FormedError, "operation" | "code">,
): Value | undefined => values?.[`${operation} ${code}`] ?? values?.[code ?? ""];

/**
 * contract → service, as text or a JSON document; null where errors are as in the contract, but for their status.
 * @param reasons the phrase of each status
 */
export function writeError(
  form: ServiceForm,
  error: FormedError,
  reasons: Readonly<Record<number, string | undefined>> = {},
) {
  const { errors } = form;
  if (!errors || !changesBody(errors)) return null;
  const status = writeStatus(form, error);
  const code = findOwn(errors.codes, error) ?? error.code;
  const sentence = error.message ?? "";
  const message = errors.separator === undefined ? sentence : `${code}${errors.separator}${sentence}`;
  const headers = errors.header === undefined || code === null ? {} : { [errors.header]: String(code) };
  if (errors.isText) {
    const contentType = errors.contentType ?? "text/plain; charset=utf-8";
    return { status, headers, contentType, body: `${message}\n` };
  }
  const one: Record<string, unknown> = {};
  const put = (place: string | null | undefined, value: unknown) => {
    if (typeof place === "string" && value !== null && value !== undefined)
      putAtPlace(one, parsePlace(place), value);
  };
  put(errors.code, code);
  put(errors.message, message);
  put(errors.status, errors.statusAs === "text" ? String(status) : status);
  put(errors.reason, reasons[status]);
  put(errors.requestId, error.requestId);
  put(errors.path, error.path);
  const held = holdAt(parsePlace(errors.at ?? ""), errors.isList ? [one] : one);
  const body = withExtras(putConstants(held, errors.constants), errors.extras);
  return { status, headers, contentType: errors.contentType ?? "application/json; charset=utf-8", body };
}

const changesBody = ({ isText, at, isList, code, message }: ErrorsForm): boolean =>
  isText === true || isList === true || at !== undefined || code !== undefined || message !== undefined;

export const writeStatus = ({ errors }: ServiceForm, error: FormedError): number =>
  findOwn(errors?.statuses, error) ?? errors?.statuses?.[String(error.status)] ?? error.status;

/** Whether the form names an error, so that it is not of another program than the service itself. */
export const isNamedError = ({ errors }: ServiceForm, error: FormedError): boolean =>
  findOwn<unknown>(errors?.codes, error) !== undefined || findOwn(errors?.statuses, error) !== undefined;

/** service → contract; null where the form says nothing of errors. @param body the parsed body, or its text */
export function readError(
  form: ServiceForm,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): FormedError | null {
  const { errors } = form;
  if (!errors) return null;
  const own = readBody(errors, body, headers);
  const known = Object.entries(errors.codes ?? {}).filter(([, theirs]) => String(theirs) === own.code);
  const named = new Set(known.map(([key]) => key.split(" ").at(-1)));
  // A code for several problems of the contract stays that of the service.
  const [only, ...others] = named;
  const code = others.length === 0 ? (only ?? own.code) : own.code;
  return { ...own, code, status: readStatus(errors, status, code) };
}

/** The status of the contract, if the service has this one for no other error. */
function readStatus({ statuses = {} }: ErrorsForm, status: number, code: string | null): number {
  const names = Object.entries(statuses).flatMap(([name, theirs]) =>
    theirs === status ? [name.split(" ").at(-1) ?? name] : [],
  );
  const numbers = names.filter((name) => /^\d{3}$/.test(name)).map(Number);
  if (code !== null && names.includes(code))
    return Object.entries(PROBLEMS).find(([own]) => own === code)?.[1].status ?? status;
  return numbers.length === 1 && !Object.hasOwn(statuses, String(status)) ? (numbers[0] ?? status) : status;
}

function readBody(
  errors: ErrorsForm,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Omit<FormedError, "status"> {
  const inHeader = headers[errors.header?.toLowerCase() ?? ""] ?? null;
  if (errors.isText) {
    const text = typeof body === "string" ? body.trim() : null;
    const end = errors.separator === undefined ? -1 : (text?.indexOf(errors.separator) ?? -1);
    if (text === null || end < 0) return { code: inHeader, message: text };
    return { code: text.slice(0, end), message: text.slice(end + (errors.separator?.length ?? 0)) };
  }
  const found = valueAtPlace(body, parsePlace(errors.at ?? ""));
  const one = Array.isArray(found) ? found[0] : found;
  const textAt = (place: string | null | undefined) => {
    const value = typeof place === "string" ? valueAtPlace(one, parsePlace(place)) : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : null;
  };
  return {
    code: inHeader ?? textAt(errors.code),
    message: textAt(errors.message),
    requestId: textAt(errors.requestId) ?? undefined,
  };
}
