import { formatTime } from "../engine/clock.ts";
import type { Engine } from "../engine/engine.ts";
import { advanceClock, agendaItem, setClock } from "../engine/ledger.ts";
import type { Ledger } from "../options.ts";
import { readFields } from "./body.ts";
import { controlRefusal } from "./refusals.ts";
import type { ControlCall, ControlRoute } from "./route.ts";

/** The clock and what waits on it. */
export const CLOCK_ROUTES: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/clock",
    what: "the time, and whether it is frozen",
    answer: ({ engine }) => clockState(engine),
  },
  {
    method: "POST",
    path: "/clock/advance",
    what: '`{"to": "3d"}`, a time, `next` or `idle`: answers with what ran, when it has',
    answer: advance,
  },
  {
    method: "POST",
    path: "/clock/set",
    what: '`{"to": TIME}`: at once; what falls due by that runs late',
    answer: set,
  },
  {
    method: "POST",
    path: "/clock/freeze",
    what: "stops it where it stands",
    answer: ({ engine }) => {
      engine.agenda.freeze();
      return clockState(engine);
    },
  },
  {
    method: "POST",
    path: "/clock/unfreeze",
    what: "lets it run on from there",
    answer: ({ engine }) => {
      engine.agenda.unfreeze();
      return clockState(engine);
    },
  },
  {
    method: "GET",
    path: "/agenda",
    what: "what waits on the clock, soonest first",
    answer: ({ engine: { agenda } }) => agenda.allSettled(() => ({ data: agenda.rows().map(agendaItem) })),
  },
];

export const clockState = ({ clock }: Engine) => ({ now: formatTime(clock.now()), frozen: clock.frozen });

async function advance({ ctx, engine }: ControlCall): Promise<Ledger> {
  const { to } = await readFields(ctx, ["to"]);
  if (typeof to !== "string") {
    throw controlRefusal(
      "validation_failed",
      'Send {"to": …}: a duration, an RFC 3339 time, "next" or "idle".',
    );
  }
  return advanceClock(engine, to);
}

async function set({ ctx, engine }: ControlCall): Promise<Ledger> {
  const { to } = await readFields(ctx, ["to"]);
  if (typeof to !== "string") throw controlRefusal("validation_failed", 'Send {"to": …}: an RFC 3339 time.');
  return setClock(engine, to);
}
