import type { Step } from "../request-state.ts";

/** A UUID that a caller may write in upper case (RFC 9562 §4). */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Writes the UUIDs that name records as the store has them: those of the path, and every field `…Id` or `…Ids`. */
export const lowerCaseIds: Step = ({ state }, next) => {
  const { params, query, body } = state;
  state.params = lowerCaseFields(params);
  if (query) state.query = lowerCaseFields(query);
  if (body.kind === "json") state.body = { kind: "json", content: lowerCaseFields(body.content as Fields) };
  return next();
};

type Fields = Readonly<Record<string, unknown>>;

/** Returns the same object if nothing changes, as for nearly every request. */
function lowerCaseFields<F extends Fields>(fields: F): F {
  let result = fields;
  for (const name of Object.keys(fields)) {
    if (!name.endsWith("Id") && !name.endsWith("Ids")) continue;
    const value = fields[name];
    const lower = Array.isArray(value) ? value.map(lowerCase) : lowerCase(value);
    if (lower !== value) result = { ...result, [name]: lower };
  }
  return result;
}

const lowerCase = (value: unknown): unknown =>
  typeof value === "string" && UUID.test(value) ? value.toLowerCase() : value;
