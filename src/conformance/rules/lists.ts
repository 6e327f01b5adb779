import { eachRun, inScenario, judgeEach } from "../judge.ts";
import { assumed, type Judgement, type Rule } from "../rule.ts";
import { describeRequest, isExecuted, responseHeader } from "../traffic.ts";
import type { LoggedRequest, ProgramRun } from "../trial.ts";

/** Every list of the sandbox has the link to its next page, however its body is wrapped. */
function nextCursor(request: LoggedRequest): string | null {
  const [, query] = /<[^?>]*\?([^>]*)>;\s*rel="next"/.exec(responseHeader(request, "link") ?? "") ?? [];
  return query === undefined ? null : new URLSearchParams(query).get("cursor");
}

const cursorOf = ({ target }: LoggedRequest): string | null =>
  new URLSearchParams(target.split("?")[1] ?? "").get("cursor");

function judgePages({ requests }: ProgramRun): Judgement {
  const read = requests.filter(isExecuted);
  const unfinished = read.filter((request) => nextCursor(request) !== null);
  const isContinued = (request: LoggedRequest) =>
    read.some((next) => next.operation === request.operation && cursorOf(next) === nextCursor(request));
  const abandoned = unfinished.filter((request) => !isContinued(request));
  const followsSome = abandoned.length < unfinished.length;
  return judgeEach(unfinished, (request) =>
    abandoned.includes(request) && !(followsSome && cursorOf(request) === null)
      ? `${describeRequest(request)} has a next page, and no request reads it with its cursor as it is`
      : null,
  );
}

export const LIST_RULES: readonly Rule[] = [
  /** A program may want no more than the beginning of a list, but not of each one, nor of one whose pages it follows. */
  {
    id: "list.pages",
    ...assumed("paging"),
    title: "follows a list to its last page",
    fix: 'follow the Link with rel="next", or send the cursor of each page, encoded once for a query, until there is none',
    scenarios: ["lists.pages"],
    judgesEnd: true,
    judge: inScenario(eachRun(judgePages)),
  },
];
