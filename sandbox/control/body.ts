import type { Context } from "koa";
import { isRecord } from "../../src/domain/json.ts";
import { parseJson } from "../wire/parse-json.ts";
import { readText } from "../wire/read-body.ts";
import { controlProblem } from "./problems.ts";

/** The JSON object that a control request has for its body; without a body `{}`, as `curl -X POST` sends it. */
export async function readJsonObject({ req }: Context): Promise<Record<string, unknown>> {
  const value = parseJson((await readText(req)) || "{}");
  if (isRecord(value)) return value;
  throw controlProblem("validation_failed", "The body is not a JSON object.");
}

/** The same where no other field than these is known: what is meant must not go unheard. */
export async function readKnownFields<Name extends string>(
  ctx: Context,
  names: readonly Name[],
): Promise<Partial<Record<Name, unknown>>> {
  const given = await readJsonObject(ctx);
  const unknown = Object.keys(given).find((name) => !names.some((known) => known === name));
  if (unknown === undefined) return given as Partial<Record<Name, unknown>>;
  throw controlProblem("validation_failed", `The body has ${names.join(", ")}; it knows no ${unknown}.`);
}
