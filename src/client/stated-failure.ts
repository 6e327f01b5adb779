import { type Fields, isRecord } from "../domain/json.ts";

/** Names in lower case, without separators. */
const SUCCESS_FLAG = /^(is|was)?(ok|success|successful|succeeded)$/;
const STATUS = /^(http)?status(code)?$/;
const OUTCOME = /^(status|result|outcome)$/;
const REASON =
  /^((has|is)?errors?|error(message|msg|code|description|detail|details|text|list)|fault|exception)$/;
/** What explains a status. Alone, it may be of a success, too. */
const EXPLANATION = /^(message|msg|reason|detail|details|description|title|error.*)$/;
/** Objects that describe the response that they are in. */
const METADATA = /^(status|meta|header|responsestatus|responseheader)$/;
/** As sent. */
const ID = /^(?!.*(request|trace|correlation|event|partner|client))(id|Id|ID|.*[-_](id|ID)|.*[a-z]I[dD])$/;

const FAILURE_WORD = /^(error|err|fail|failure|ko|nok|not ?ok|fault|exception|unsuccessful)$/i;
/** To a submission. A record may have these states. */
const REFUSAL_WORD = /^(rejected|refused|denied|invalid|unauthorized|forbidden)$/i;
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
  const isExplained = findExplanation(members) !== undefined;
  return members.some(
    ({ name, value }) =>
      (SUCCESS_FLAG.test(name) && isFalse(value)) ||
      (isExplained && STATUS.test(name) && /^[45]\d\d$/.test(String(value))),
  );
};

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
  const reasons = members.filter(({ name, value }) => REASON.test(name) && isReason(value));
  const areOfRows = hasId && reasons.some(({ value }) => isListOfRows(value));
  const own = reasons.filter(({ value }) => !areOfRows || !(value === true || isListOfRows(value)));
  return own[0]?.value;
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
  return isRecord(value) ? Object.keys(value).length > 0 : !NO_REASON.test(String(value ?? ""));
}
