import type { Context } from "koa";
import { isRecord } from "../../src/domain/json.ts";
import { readText } from "../wire/read-body.ts";
import { controlRefusal } from "./refusals.ts";

/** The JSON object that a control request has for its body. */
export async function readObject({ req }: Context): Promise<Record<string, unknown>> {
  const value = parsed(await readText(req));
  if (isRecord(value)) return value;
  throw controlRefusal("validation_failed", "The body is not a JSON object.");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
