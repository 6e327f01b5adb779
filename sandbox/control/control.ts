import type { Context, Middleware } from "koa";
import { ClaimsError } from "../../src/domain/errors.ts";
import { formatTime } from "../engine/clock.ts";
import type { Engine } from "../engine/engine.ts";
import { advanceClock, agendaItem } from "../engine/ledger.ts";
import type { Ledger } from "../options.ts";
import { countJobs } from "../store/jobs.ts";
import { readText } from "../wire/read-body.ts";
import { guardOrigin, guardToken } from "./guard.ts";
import { controlRefusal } from "./refusals.ts";

const PREFIX = "/_sandbox";

export interface ControlOptions {
  readonly token: string;
  /** The address that the sandbox listens on. */
  readonly host: string;
  readonly onShutdownRequested: () => void;
}

interface ControlRoute {
  readonly method: "GET" | "POST";
  /** Without the control token. */
  readonly open?: true;
  readonly answer: (ctx: Context, engine: Engine, options: ControlOptions) => object | Promise<object>;
}

const ROUTES: Readonly<Record<string, ControlRoute>> = {
  "/health": { method: "GET", open: true, answer: () => ({ status: "ok" }) },
  "/ready": { method: "GET", open: true, answer: () => ({ status: "ready" }) },
  "/state": {
    method: "GET",
    answer: (_ctx, engine) =>
      engine.agenda.settled(() => ({ clock: clockState(engine), jobs: countJobs(engine.store) })),
  },
  "/clock": { method: "GET", answer: (_ctx, engine) => engine.agenda.settled(() => clockState(engine)) },
  "/clock/advance": { method: "POST", answer: advance },
  "/agenda": {
    method: "GET",
    answer: (_ctx, { agenda }) => agenda.settled(() => ({ data: agenda.rows().map(agendaItem) })),
  },
  "/shutdown": { method: "POST", answer: shutdown },
};

/** The control API (product.md §5): for whoever started the sandbox, never part of the contract. */
export function control(engine: Engine, options: ControlOptions): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== PREFIX && !ctx.path.startsWith(`${PREFIX}/`)) return next();
    guardOrigin(ctx, options.host);
    const route = ROUTES[ctx.path.slice(PREFIX.length)];
    if (!route?.open) guardToken(ctx, options.token);
    if (!route) {
      throw controlRefusal(
        "control_route_not_found",
        `There is ${Object.keys(ROUTES).join(", ")} under ${PREFIX}.`,
      );
    }
    // RFC 9110 §9.3.2: HEAD is GET without the content, which Koa leaves out.
    const allowed = route.method === "GET" ? ["GET", "HEAD"] : [route.method];
    if (!allowed.includes(ctx.method)) {
      const allow = allowed.join(", ");
      const detail = `${ctx.path} takes ${allow}, not ${ctx.method}.`;
      throw controlRefusal("method_not_allowed", detail, { Allow: allow });
    }
    const answer = await route.answer(ctx, engine, options);
    ctx.status = 200;
    ctx.set({ "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" });
    ctx.body = JSON.stringify(answer);
  };
}

const clockState = ({ clock }: Engine) => ({ now: formatTime(clock.now()), frozen: clock.frozen });

async function advance(ctx: Context, engine: Engine): Promise<Ledger> {
  const { to } = await readObject(ctx);
  if (typeof to !== "string") {
    throw controlRefusal(
      "validation_failed",
      'Send {"to": …}: a duration, an RFC 3339 time, "next" or "idle".',
    );
  }
  try {
    return await advanceClock(engine, to);
  } catch (error) {
    if (!(error instanceof ClaimsError)) throw error;
    throw controlRefusal("validation_failed", `${error.message}; ${error.hint}`);
  }
}

async function readObject({ req }: Context): Promise<Record<string, unknown>> {
  const text = await readText(req);
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw controlRefusal("validation_failed", "The body is not JSON.");
  }
}

function shutdown(ctx: Context, _engine: Engine, { onShutdownRequested }: ControlOptions): object {
  ctx.res.once("finish", onShutdownRequested);
  return { status: "closing" };
}
