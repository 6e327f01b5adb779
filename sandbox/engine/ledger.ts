import type { AgendaItem, Ledger } from "../options.ts";
import type { AgendaRow } from "../store/agenda.ts";
import { formatTime } from "./clock.ts";
import type { Engine } from "./engine.ts";

/** An agenda row as people see it. */
export const agendaItem = ({ dueAt, kind, subject }: AgendaRow): AgendaItem => ({
  dueAt: formatTime(dueAt),
  kind,
  subject,
});

/** Advances the clock and tells what ran. */
export async function advanceClock({ agenda }: Engine, to: string): Promise<Ledger> {
  const { from, to: reached, ran } = await agenda.advance(to);
  return { from: formatTime(from), to: formatTime(reached), ran: ran.map(agendaItem) };
}
