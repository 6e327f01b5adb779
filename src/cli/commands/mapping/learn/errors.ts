import {
  isSentence,
  isToken,
  type Leaf,
  listLeaves,
  makeUnknownId,
  UNKNOWN_ID,
} from "../../../../client/leaves.ts";
import { OPERATIONS } from "../../../../contract/operations/operations.ts";
import type { LearnedLines } from "./lines.ts";
import type { ServiceReads } from "./service-reads.ts";

/** The error of a job that does not exist, of the form of a real id. What changes between two such errors is no code. */
export async function learnErrors(
  reads: ServiceReads,
  lines: LearnedLines,
  realId: string | undefined,
): Promise<void> {
  const id = realId === undefined ? UNKNOWN_ID : makeUnknownId(realId);
  const read = () => reads.try({ operation: OPERATIONS.diligence.status, params: { jobId: id } });
  const first = await read();
  if (first === null || first.status < 400 || first.status === 403 || first.status >= 500) return;
  const second = await read();
  const isSteady = ({ path, value }: Leaf) =>
    !second?.json || listLeaves(second.json).some((leaf) => leaf.path === path && leaf.value === value);
  // The text of the body is at the empty path.
  const all = first.json === undefined ? [{ path: "", value: first.text.trim() }] : listLeaves(first.json);
  const leaves = all.filter(isSteady);
  const codes = leaves.filter(({ path, value }) => path !== "" && isErrorCode(value, first.status, id));
  const messages = leaves.filter(({ value }) => isSentence(value) && !STATUS_TEXTS.test(value));
  for (const [what, places] of Object.entries({ code: codes, message: messages })) {
    const candidates = places.map(({ path, value }) => ({ line: path, value: String(value) }));
    await lines.settle(`error.${what}`, `Which of these is the ${what} of an error?`, candidates);
  }
  const code = codes.find(({ path }) => path === lines.findPath("error.code"))?.value;
  // 404 says it by itself.
  if (realId !== undefined && code !== undefined && first.status !== 404)
    lines.prove("error.words", { [`${first.status} ${code}`]: "not_found" });
}

const STATUS_TEXTS = /^(bad request|not found|gone|unprocessable (entity|content)|forbidden|conflict)$/i;

const LANGUAGE = /^[a-z]{2}([-_][A-Z]{2})?$/;

const isErrorCode = (value: unknown, status: number, id: string): boolean =>
  isToken(value) &&
  !LANGUAGE.test(String(value)) &&
  String(value) !== String(status) &&
  String(value).toLowerCase() !== id.toLowerCase();
