import type { AdvanceResult, AgendaItem } from "../../api/sandbox.ts";
import type { ScheduledTask } from "../../store/agenda.ts";
import type { Engine } from "../engine.ts";
import { formatTime } from "./clock.ts";
import type { ClockMove } from "./scheduler.ts";

/** An agenda row as people see it. */
export const toAgendaItem = ({ dueAt, kind, subject }: ScheduledTask): AgendaItem => ({
  dueAt: formatTime(dueAt),
  kind,
  subject,
});

/** Advances the clock and tells what ran. From the handle it may be anything: what is no text is refused as text is. */
export const advanceClock = async ({ scheduler }: Engine, to: string): Promise<AdvanceResult> =>
  toAdvanceResult(await scheduler.advance(String(to)));

/** Sets the clock and tells what ran late. */
export const setClock = async ({ scheduler }: Engine, time: string): Promise<AdvanceResult> =>
  toAdvanceResult(await scheduler.jump(String(time)));

const toAdvanceResult = ({ from, to, ran }: ClockMove): AdvanceResult => ({
  from: formatTime(from),
  to: formatTime(to),
  ran: ran.map(toAgendaItem),
});
