import {
  isSentence,
  isToken,
  type Leaf,
  listLeaves,
  makeUnknownId,
  UNKNOWN_ID,
} from "../../../../contract/mapping/leaves.ts";
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
  await settlePlace(lines, "error.code", "code", codes);
  const messages = leaves.filter(({ value }) => isSentence(value) && !STATUS_TEXTS.test(value));
  await settlePlace(lines, "error.message", "detail", messages);
  const place = lines.get("error.code") ?? "code";
  const code = codes.find(({ path }) => path === place)?.value;
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

/** @param own the contract's place: it needs no line */
async function settlePlace(
  lines: LearnedLines,
  key: "error.code" | "error.message",
  own: string,
  leaves: readonly Leaf[],
): Promise<void> {
  const isOnly = leaves.length === 1;
  if (isOnly && leaves[0]?.path === own) return;
  const candidates = leaves.map(({ path, value }) => ({ value: path, shows: String(value) }));
  await lines.settle(key, `Which of these is the ${key.slice(6)} of an error?`, candidates, isOnly);
}
