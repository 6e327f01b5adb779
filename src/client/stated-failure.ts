import { type Fields, isRecord } from "../domain/json.ts";

/** Names in lower case, without separators. */
const SUCCESS_FLAG = /^(is|was)?(ok|success|successful|succeeded)$/;
const STATUS = /^(http)?status(code)?$/;
const OUTCOME = /^(status|result|outcome)$/;
const REASON =
  /^((has|is)?errors?|err(or)?(message|msg|code|no|description|detail|details|text|list)|fault|exception)$/;
/** The number of a response. Beside an explanation and nothing else, it is of an error. */
const NUMBER = /^(code|ret|(ret|return|result|response|business|biz)code)$/;
const ERROR_NUMBER = /^err(or)?(code|no)$/;
/** What explains a status. Alone, it may be of a success, too. */
const EXPLANATION = /^(message|msg|reason|detail|details|description|title|error.*)$/;
/** Objects that describe the response that they are in. */
const METADATA = /^(status|meta|header|responsestatus|responseheader)$/;
/** As sent. */
const ID = /^(?!.*(request|trace|correlation|event|partner|client))(id|Id|ID|.*[-_](id|ID)|.*[a-z]I[dD])$/;

const FAILURE_WORD = /^(error|err|fail|failure|ko|nok|not ?ok|fault|exception|unsuccessful)$/i;
/** To a submission. A record may have these states. */
const REFUSAL_WORD = /^(rejected|refused|denied|invalid|unauthorized|forbidden)$/i;
/** A short sentence that ends with a word of success. */
const SUCCESS_TEXT = /^((?!not\b|no\b)\w+ ){0,3}(ok|success|successful(ly)?|succeeded)\W*$/i;
const NO_REASON = /^\s*(0+|false|no|none|null|nil|ok|success|n\/a)?\s*$/i;
/** What an error of a row names. */
const ROW = /\b(line|row|entry|entries)/i;

interface Member {
  readonly name: string;
  readonly value: unknown;
}

const listMembers = (document: Fields): readonly Member[] =>
  Object.entries(document).map(([name, value]) => ({
    name: name.replace(/[^\p{L}\d]/gu, "").toLowerCase(),
    value,
  }));

const isFalse = (value: unknown): boolean => /^false$/i.test(String(value));

const findExplanation = (members: readonly Member[]): unknown =>
  members.find(({ name, value }) => EXPLANATION.test(name) && isReason(value))?.value;

/** Whether a document says that what it responds to failed, in a way that no record of a success has. */
export const deniesSuccess = (document: Fields): boolean => {
  const members = listMembers(document);
  if (isOnlyError(document, members)) return true;
  const isExplained = findExplanation(members) !== undefined;
  const isMessage = isExplained && !hasContent(document, members);
  return members.some(
    ({ name, value }) =>
      (SUCCESS_FLAG.test(name) && isFalse(value)) ||
      (isExplained && STATUS.test(name) && /^[45]\d\d$/.test(String(value))) ||
      (isMessage && NUMBER.test(name) && isNumber(value) && !isSuccessNumber(value)),
  );
};

/** What an error has beside its reason. */
const BESIDE_ERROR =
  /^(timestamp|time|date|path|instance|method|version|apiversion|jsonrpc|(request|trace|correlation)id)$/;

/** Whether a document has a reason of a failure, and nothing that a record has. */
const isOnlyError = (document: Fields, members: readonly Member[]): boolean =>
  !Object.keys(document).some((name) => ID.test(name)) &&
  findReason(members, false) !== undefined &&
  members.every(
    ({ name, value }) =>
      [REASON, EXPLANATION, NUMBER, BESIDE_ERROR].some((pattern) => pattern.test(name)) ||
      (STATUS.test(name) && isNumber(value)) ||
      !isReason(value),
  );

const isNumber = (value: unknown): boolean => /^-?\d+$/.test(String(value));

/** 0 is no error, and 200 to 299 are the successes of HTTP. */
const isSuccessNumber = (value: unknown): boolean =>
  isNumber(value) && (Number(value) === 0 || (Number(value) >= 200 && Number(value) <= 299));

/** Whether a document has a row or a record, or is one. */
const hasContent = (document: Fields, members: readonly Member[]): boolean =>
  Object.keys(document).some((name) => ID.test(name)) ||
  members.some(
    ({ name, value }) => isContent(value) || (/^(state|status)$/.test(name) && typeof value === "string"),
  );

/** An object around lists has content if one of them has. */
function isContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isRecord(value)) return false;
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length === 0 ? Object.keys(value).length > 0 : lists.some(isContent);
}

/**
 * The reason of a failure that a response with a status of success states: a value of the document, or all of it if it gives no
 * reason; null if it states no failure. An id says nothing against it: an error may have one, too.
 *
 *     {"error": "x"}                                  "x"
 *     {"error": "none"}                               null
 *     {"meta": {"error": "x"}}                        "x"
 *     {"success": false, "message": "x"}              "x"
 *     {"success": false}                              the document
 *     {"status": 404, "message": "x"}                 "x"
 *     {"code": 50012, "message": "x", "data": []}     "x"
 *     {"code": 0, "message": "x", "data": []}         null, also with a code of 200 to 299, and beside rows
 *     {"status": "error"}                             the document
 *     {"status": "failed", "message": "x"}            "x"
 *     {"id": 1, "status": "failed", "message": "x"}   null: the state of a record
 *     {"id": 1, "errors": ["row 3: x"]}               null: errors of rows
 *     {"accepted": false}                             null, but the document if `isSubmission`
 *     {"status": "rejected"}                          null, but the document if `isSubmission`
 *
 * @param isSubmission whether it responds to a submission: other records may be rejected, or not accepted yet
 */
export function findStatedFailure(document: unknown, isSubmission = false): unknown {
  if (!isRecord(document)) return null;
  const members = listMembers(document);
  const hasId = Object.keys(document).some((name) => ID.test(name));
  const reason = findReason(members, hasId);
  const explanation = findExplanation(members);
  const isMessage = !hasId && explanation !== undefined;
  if (deniesSuccess(document) || members.some((each) => isFailure(each, { isSubmission, isMessage })))
    return reason ?? explanation ?? document;
  if (reason !== undefined) return reason;
  for (const { name, value } of members) {
    const failure = METADATA.test(name) ? findStatedFailure(value, isSubmission) : null;
    if (failure !== null) return failure;
  }
  return null;
}

/** The first member that says what went wrong. Beside an id, that may be errors of rows, and a mark of them. */
function findReason(members: readonly Member[], hasId: boolean): unknown {
  const reasons = members.filter(
    ({ name, value }) =>
      REASON.test(name) && isReason(value) && !(ERROR_NUMBER.test(name) && isSuccessNumber(value)),
  );
  const areOfRows = hasId && reasons.some(({ value }) => isListOfRows(value));
  const own = reasons.filter(({ value }) => !areOfRows || !(value === true || isListOfRows(value)));
  // A text says more than a number.
  return (own.find(({ value }) => !isNumber(value)) ?? own[0])?.value;
}

const isListOfRows = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => ROW.test(JSON.stringify(each)));

/** @param isMessage whether the response is a message, and no record whose state may be `failed` */
function isFailure(
  { name, value }: Member,
  { isSubmission, isMessage }: { readonly isSubmission: boolean; readonly isMessage: boolean },
): boolean {
  if (isSubmission && /^(is)?accepted$/.test(name)) return isFalse(value);
  if (!OUTCOME.test(name) || typeof value !== "string") return false;
  const word = value.trim();
  return (
    FAILURE_WORD.test(word) ||
    (isSubmission && REFUSAL_WORD.test(word)) ||
    (isMessage && /^failed$/i.test(word))
  );
}

/** Whether a member that may hold a reason has one: no empty value, and no word for none. */
function isReason(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  const text = String(value ?? "");
  return !NO_REASON.test(text) && !SUCCESS_TEXT.test(text);
}
