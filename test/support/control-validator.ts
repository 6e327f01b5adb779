import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { CONTROL_RESPONSES } from "../../src/contract/control-responses.ts";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const ROUTES = Object.entries(CONTROL_RESPONSES).map(([key, schema]) => {
  const [method, path = ""] = key.split(" ");
  return { key, method, path: new RegExp(`^/_sandbox${path.replace(/\{\w+\}/g, "[^/]+")}$`), schema };
});

const compiled = new Map<string, ValidateFunction>();

/** What a response of the control API has that its schema does not allow, in words. */
export function findControlViolation(method: string, path: string, body: string): string | null {
  const route = ROUTES.find((each) => each.method === method && each.path.test(path));
  if (!route || body === "") return null;
  const isValid = compiled.get(route.key) ?? ajv.compile(route.schema);
  compiled.set(route.key, isValid);
  return isValid(JSON.parse(body)) ? null : ajv.errorsText(isValid.errors);
}
