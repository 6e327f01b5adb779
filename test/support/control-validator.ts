import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { CONTROL_RESPONSES } from "../../src/contract/control-responses.ts";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const ROUTES = Object.entries(CONTROL_RESPONSES).map(([key, schema]) => {
  const [method, path = ""] = key.split(" ");
  return { method, path: new RegExp(`^/_sandbox${path.replace(/\{\w+\}/g, "[^/]+")}$`), schema };
});

const compiled = new Map<object, ValidateFunction>();

/** What a document has that a schema does not allow, in words. */
export function findSchemaViolation(schema: object, document: unknown): string | null {
  const isValid = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, isValid);
  if (isValid(document)) return null;
  const errors = isValid.errors ?? [];
  return errors
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join("; ");
}

/** What a response of the control API has that its schema does not allow, in words. */
export function findControlViolation(method: string, path: string, body: string): string | null {
  const route = ROUTES.find((each) => each.method === method && each.path.test(path));
  return !route || body === "" ? null : findSchemaViolation(route.schema, JSON.parse(body));
}
