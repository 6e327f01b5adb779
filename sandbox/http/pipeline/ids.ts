import type { RequestState, Step } from "../request-state.ts";

/** A UUID that a caller may write in upper case (RFC 9562 §4). */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Writes the UUIDs that name records as the store has them: those of the path, and every field `…Id` or `…Ids`. */
export const lowerCaseIds: Step = ({ state }, next) => {
  const { params, query, body } = state;
  const parts: Partial<RequestState> = {
    params: lowerCaseFields(params),
    query: query && lowerCaseFields(query),
  };
  if (body.kind === "json") parts.body = { kind: "json", content: lowerCaseFields(body.content as Fields) };
  Object.assign(state, parts);
  return next();
};

type Fields = Readonly<Record<string, unknown>>;

function lowerCaseFields<F extends Fields>(fields: F): F {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    /Ids?$/.test(name) ? (Array.isArray(value) ? value.map(lowerCase) : lowerCase(value)) : value,
  ]);
  return Object.fromEntries(entries);
}

const lowerCase = (value: unknown): unknown =>
  typeof value === "string" && UUID.test(value) ? value.toLowerCase() : value;
