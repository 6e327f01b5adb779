// Apart from the schema, because only a form that is read needs the schema compiler.
import { Compile, type Validator } from "typebox/schema";
import { usageError } from "../../domain/errors.ts";
import { isRecord, quoteValue } from "../../domain/json.ts";
import { FORM_VERSION, type ServiceForm, serviceForm } from "./service-form.ts";

export const MAX_FORM_LENGTH = 1 << 20;

let validator: Validator | undefined;

/**
 * @param shownAs the file as the user wrote it
 * @throws ClaimsError `invalid_input`
 */
export function parseServiceForm(json: string, shownAs: string): ServiceForm {
  if (json.length > MAX_FORM_LENGTH) throw invalidFormError(`${shownAs} is larger than 1 MiB`);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw invalidFormError(`${shownAs} is not JSON`, cause);
  }
  return requireServiceForm(value, shownAs);
}

/** @throws ClaimsError `invalid_input` */
export function requireServiceForm(value: unknown, shownAs: string): ServiceForm {
  const [first] = listFaults(value);
  if (first === undefined) return value as ServiceForm;
  throw invalidFormError(`${shownAs}: ${first}`);
}

/** What keeps a value from being a form: each fault with its place. */
export function listFaults(value: unknown): string[] {
  if (!isRecord(value) || value.serviceForm === undefined)
    return ["expected the form of a service (an object with serviceForm)"];
  if (value.serviceForm !== FORM_VERSION)
    return [`version ${quoteValue(value.serviceForm)}; this program reads version ${FORM_VERSION}`];
  validator ??= Compile(serviceForm);
  if (validator.Check(value)) return [];
  const [, violations] = validator.Errors(value);
  const faults = violations as readonly { readonly instancePath: string; readonly message: string }[];
  // The validator says "schema is false" of a member that a closed object does not have.
  return faults
    .filter(({ message }) => !message.includes("additional properties"))
    .map(({ instancePath, message }) =>
      message.includes("schema is false")
        ? `${instancePath.replace(/\/[^/]*$/, "") || "/"}: unknown member ${instancePath.split("/").at(-1)}`
        : `${instancePath || "/"}: ${message}`,
    );
}

export const invalidFormError = (message: string, cause?: unknown) =>
  usageError("invalid_input", message, {
    hint: "`claims contract form check FILE` names each mistake with its place",
    cause,
  });
