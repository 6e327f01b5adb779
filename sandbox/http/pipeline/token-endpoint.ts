import type { Engine } from "../../engine/engine.ts";
import { ProblemError, tokenError } from "../../wire/problem-error.ts";
import type { Step } from "../request-state.ts";
import { limitAddress } from "./rate-limit.ts";

/** RFC 6749 §5: nothing is cached, and every refusal has the shape of §5.2. */
export const tokenEndpoint =
  (engine: Engine): Step =>
  async (ctx, next) => {
    ctx.set({ "Cache-Control": "no-store", Pragma: "no-cache" });
    try {
      limitAddress(ctx, engine);
      await next();
    } catch (error) {
      const isOther = error instanceof ProblemError && !error.isOAuth;
      throw isOther ? tokenError("invalid_request", error.message, error.status) : error;
    }
  };
