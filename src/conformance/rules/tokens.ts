import { MEDIA_TYPE } from "../../contract/operations/operation.ts";
import { eachRun, fail, PASS, requestRule, UNTOUCHED } from "../judge.ts";
import { assumed, documented, type Rule } from "../rule.ts";
import { describeType, isExecuted, isOperation, mediaType } from "../traffic.ts";
import type { LoggedRequest } from "../trial.ts";

const isTokenRequest = (request: LoggedRequest) => isOperation(request, "oauth.token");

/** Two processes of one program may have a token each. */
const MAX_NEEDLESS_TOKENS = 1;

/** Of the sandbox's clock: shorter than any token lives. */
const TOKEN_REUSE_MS = 60_000;

export const TOKEN_RULES: readonly Rule[] = [
  requestRule({
    id: "token.form",
    ...documented("token.form"),
    title: "requests tokens with a form",
    fix: "send grant_type, client_id and client_secret as application/x-www-form-urlencoded",
    subjects: (requests) => requests.filter(isTokenRequest),
    findFault: (request) =>
      mediaType(request) === MEDIA_TYPE.form ? null : `the token request has ${describeType(request)}`,
  }),
  requestRule({
    id: "token.sandbox",
    ...documented("production.managed"),
    title: "requests tokens for the sandbox alone",
    fix: "in production, send the managed credential as Bearer and request no token",
    subjects: (requests) => requests.filter(isTokenRequest),
    findFault: ({ credentials }) =>
      credentials.some(({ environment }) => environment === "production")
        ? "the token request has a credential of production"
        : null,
  }),
  {
    id: "token.reuse",
    ...assumed("tokens"),
    title: "keeps its access token while it is valid",
    fix: "keep the token for its expires_in, and request another one after that or after a 401",
    scenarios: "any",
    shownBy: ["lists.pages"],
    judge: eachRun(({ requests }) => {
      const tokens = requests.filter(
        (request) => isTokenRequest(request) && isExecuted(request) && request.outcome === "answered",
      );
      if (tokens.length === 0) return UNTOUCHED;
      const isNeedless = (token: LoggedRequest, index: number) => {
        const previous = tokens[index - 1];
        if (!previous || Date.parse(token.at) - Date.parse(previous.at) > TOKEN_REUSE_MS) return false;
        const between = requests.filter(({ number }) => number > previous.number && number < token.number);
        return !between.some(({ status }) => status === 401);
      };
      const needless = tokens.filter(isNeedless);
      return needless.length <= MAX_NEEDLESS_TOKENS
        ? PASS
        : fail("the program requests a token although it has a valid one", needless);
    }),
  },
];
