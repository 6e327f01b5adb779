import { formatTime } from "../engine/clock.ts";
import type { Engine } from "../engine/engine.ts";
import { advanceClock, agendaItem, setClock } from "../engine/ledger.ts";
import type { Ledger } from "../options.ts";
import { readObject } from "./body.ts";
import { controlRefusal } from "./refusals.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The clock and what waits on it. */
export const CLOCK_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/clock",
    answer: ({ engine }) => clockState(engine),
  },
  { method: "POST", path: "/clock/advance", answer: advance },
  { method: "POST", path: "/clock/set", answer: set },
  {
    method: "POST",
    path: "/clock/freeze",
    answer: ({ engine }) => {
      engine.agenda.freeze();
      return clockState(engine);
    },
  },
  {
    method: "POST",
    path: "/clock/unfreeze",
    answer: ({ engine }) => {
      engine.agenda.unfreeze();
      return clockState(engine);
    },
  },
  {
    method: "GET",
    path: "/agenda",
    answer: ({ engine: { agenda } }) => agenda.allSettled(() => ({ data: agenda.rows().map(agendaItem) })),
  },
];

export const clockState = ({ clock }: Engine) => ({ now: formatTime(clock.now()), frozen: clock.frozen });

async function advance({ ctx, engine }: ControlCall): Promise<Ledger> {
  const { to } = await readObject(ctx);
  if (typeof to !== "string") {
    throw controlRefusal(
      "validation_failed",
      'Send {"to": …}: a duration, an RFC 3339 time, "next" or "idle".',
    );
  }
  return advanceClock(engine, to);
}

async function set({ ctx, engine }: ControlCall): Promise<Ledger> {
  const { to } = await readObject(ctx);
  if (typeof to !== "string") throw controlRefusal("validation_failed", 'Send {"to": …}: an RFC 3339 time.');
  return setClock(engine, to);
}
