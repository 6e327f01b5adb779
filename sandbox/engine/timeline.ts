import type { LoggedRequest } from "../journal.ts";
import { listAttempts } from "../store/attempts.ts";
import { type DeliveryRow, listLatestDeliveries } from "../store/deliveries.ts";
import { type JobRow, listLatestJobs } from "../store/jobs.ts";
import { formatTime } from "./clock.ts";
import type { Engine } from "./engine.ts";
import { journalByHand } from "./journal/by-hand.ts";

/** Of each kind: a test that fails is about the latest ones. */
const MOST = 100;

/** Something that happened, at a time of the sandbox clock. */
interface Moment {
  /** RFC 3339 */
  readonly at: string;
  readonly words: string;
}

/**
 * What happened in a sandbox and what is to come, in lines for a person: requests, runs of jobs, attempts of deliveries,
 * the agenda and the faults. Redacted as the journal is.
 */
export async function timeline(engine: Engine): Promise<string> {
  const { agenda, clock, faults, journal, store, url } = engine;
  const requests = journal.size === 0 ? [] : await journalByHand(engine).list({ limit: MOST });
  return agenda.allSettled(() => {
    const happened = [
      ...requests.map(requestMoment),
      ...listLatestJobs(store, MOST).reverse().flatMap(jobMoments),
      ...listLatestDeliveries(store, {}, MOST)
        .reverse()
        .flatMap((delivery) => attemptMoments(engine, delivery)),
    ].sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)));
    const due = agenda.rows().map(({ dueAt, kind, subject }) => `${formatTime(dueAt)}  ${kind} ${subject}`);
    const rules = faults
      .list()
      .map(({ id, words, matched, applied }) => `${id}. ${words} (${applied} of ${matched})`);
    return [
      `Sandbox ${url}, ${formatTime(clock.now())} by its ${clock.frozen ? "frozen" : "running"} clock`,
      ...section(
        "What happened",
        happened.map(({ at, words }) => `${at}  ${words}`),
      ),
      ...section("What is due", due),
      ...section("Faults, and how many requests they were applied to", rules),
      "",
    ].join("\n");
  });
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line}`)];

function requestMoment({ at, number, method, target, status, outcome, ...entry }: LoggedRequest): Moment {
  const told = [
    outcome === "answered" ? String(status) : outcome,
    ...(entry.fault === null ? [] : [`fault: ${entry.fault}`]),
    ...(entry.idempotentReplay ? ["the stored answer"] : []),
    ...(entry.varied.length === 0 ? [] : [`greased: ${entry.varied.join(" ")}`]),
    ...(status !== null && status >= 400 ? [problemOf(entry)] : []),
  ];
  return { at, words: `request ${number}: ${method} ${target} → ${told.join(", ")}` };
}

/** What was wrong, as the caller was told it. */
function problemOf({ responseBody }: Pick<LoggedRequest, "responseBody">): string {
  const [line = ""] = (responseBody?.text ?? "").split("\n");
  return line.slice(0, 300);
}

function jobMoments({ id, state, createdAt, finishedAt, runCount, failure }: JobRow): Moment[] {
  const end = failure ? `${state} (${failure.code}: ${failure.detail})` : state;
  return [
    { at: formatTime(createdAt), words: `job ${id}: submitted` },
    ...(finishedAt === null
      ? [{ at: formatTime(createdAt), words: `job ${id}: ${state}` }]
      : [{ at: formatTime(finishedAt), words: `job ${id}: ${end}, run ${runCount}` }]),
  ];
}

function attemptMoments({ store }: Engine, { id, seq, eventType, createdAt, status }: DeliveryRow): Moment[] {
  const attempts = listAttempts(store, seq).map(({ at, number, trigger, responseStatus, error }) => ({
    at: formatTime(at),
    words: `delivery ${id} (${eventType}): attempt ${number}${trigger === "resend" ? ", a resend" : ""} → ${
      error ? `${error.code}: ${error.detail}` : responseStatus
    }`,
  }));
  return attempts.length > 0
    ? attempts
    : [{ at: formatTime(createdAt), words: `delivery ${id} (${eventType}): ${status}` }];
}
