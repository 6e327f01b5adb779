import { problemError } from "../../wire/problem-error.ts";
import type { Step } from "../request-state.ts";

/** Refuses a credential of production before the request is read any further (interface §5.5). */
export const requireSandbox: Step = ({ state }, next) => {
  if (state.caller?.environment === "sandbox") return next();
  const detail = "Test events are for the sandbox: send a sandbox credential, not a production one.";
  throw problemError("wrong_environment", detail);
};
