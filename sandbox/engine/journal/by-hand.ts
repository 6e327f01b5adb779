import { ClaimsError } from "../../../src/domain/errors.ts";
import type { LoggedRequest, RequestFilter, SandboxRequests } from "../../journal.ts";
import type { Engine } from "../engine.ts";
import { entryOf } from "./entry.ts";
import { readFilter } from "./filter.ts";
import { harOf } from "./har.ts";
import type { Exchange } from "./journal.ts";
import { sendAgain } from "./replay.ts";

/** What whoever runs the sandbox reads of the requests to it; the handle and the control API are both this. */
export function journalByHand(engine: Engine): SandboxRequests {
  const { agenda, closing, journal, random, store, url } = engine;
  const shown = (exchange: Exchange): LoggedRequest => entryOf(exchange, store);
  const list = async (filter: RequestFilter = {}) => {
    requireJournal(engine);
    const { test, limit } = readFilter(filter);
    return agenda.allSettled(() => latest(journal.kept().filter(test), limit).map(shown));
  };
  return {
    list,
    get: async (id) => {
      requireJournal(engine);
      return agenda.allSettled(() => shown(found(engine, id)));
    },
    async replay(id, { newKey = false } = {}) {
      requireJournal(engine);
      const first = found(engine, id);
      const key = newKey ? random.uuid("replay_key") : null;
      const again = await sendAgain(first, { journal, url, key, closing });
      return agenda.allSettled(() => ({ entry: shown(again), same: areSame(first, again) }));
    },
    har: async (filter) => harOf(await list(filter), url),
    async clear() {
      journal.clear();
    },
  };
}

export const latest = <T>(items: readonly T[], limit: number): readonly T[] =>
  items.slice(Math.max(0, items.length - limit));

export function requireJournal({ journal }: Engine): void {
  if (journal.size > 0) return;
  throw new ClaimsError("rejected", "journal_off", "this sandbox keeps no journal of requests", {
    hint: "start it without --journal 0",
  });
}

/** The number may be text: over the control API it is a part of the path. */
function found({ journal }: Engine, id: number | string): Exchange {
  const exchange = journal.find(/^\d{1,15}$/.test(String(id)) ? Number(id) : id) ?? journal.find(id);
  if (exchange) return exchange;
  const [oldest] = journal.kept();
  const range = oldest ? `those kept begin with ${oldest.number}` : "none is kept";
  throw new ClaimsError("not_found", "request_not_found", `there is no request ${id}; ${range}`, {
    hint: "the list of requests has their numbers",
  });
}

function areSame(first: Exchange, again: Exchange): boolean | null {
  const [before, after] = [first, again].map(comparable);
  return before === null ? null : before === after;
}

/** A problem has the id of its request. */
function comparable({ ended, requestId }: Exchange): string | null {
  if (ended?.status == null) return null;
  const { body, status } = ended;
  const text = typeof body === "string" ? body : (body?.bytes().toString("latin1") ?? "");
  const size = typeof body === "string" ? "" : (body?.size ?? 0);
  return `${status} ${size} ${text.replaceAll(requestId, "")}`;
}
