import { Buffer } from "node:buffer";
import type { DeliveryAttempt, DeliveryDetails } from "../../../../../sandbox/index.ts";
import { formatDuration, formatTime } from "../../../../domain/times.ts";
import { EVENT_HEADER } from "../../../../domain/webhooks/headers.ts";
import { parseJsonResponse } from "../../../connection/json-response.ts";
import { openService } from "../../../connection/service.ts";
import { readId } from "../../../files/input-file.ts";
import { command } from "../../../framework/command.ts";
import type { Block } from "../../../output/output.ts";
import { toRecordCard } from "../../../output/record-card.ts";
import { completeIdOfSandbox } from "../../../records/complete-id.ts";
import { requireControlOf } from "../../../sandbox-control/control.ts";

export const deliveriesShow = command({
  name: "deliveries show",
  prints: "GET /deliveries/{id}",
  summary: "show a delivery with every attempt, its headers, body and responses (local sandbox only)",
  remote: "reads",
  output: "record",
  arguments: [{ name: "delivery", help: "id of the delivery" }],
  examples: [
    "claims webhooks deliveries show 9c2a…",
    "claims webhooks deliveries show 9c2a… --json | jq '.attempts[].responseStatus'",
  ],
  async run(context, call) {
    const word = await readId(context, call.args.delivery, "pipe the id of one delivery in, or name it");
    const { baseUrl } = (await openService(context, call)).connection;
    const hint = "`claims webhooks deliveries --all --json` has the records (interface §2, §4)";
    const control = await requireControlOf(context, baseUrl, "for a single delivery", hint);
    const id = await completeIdOfSandbox(context, control, "delivery", word);
    const response = await control.fetch("GET /deliveries/{id}", { params: { id } });
    const details = parseJsonResponse(response, `delivery ${id}`) as DeliveryDetails;
    const { isTerminal } = context.stdout;
    const blocks = renderDetails(details, isTerminal && !call.global.verbose, isTerminal);
    return { kind: "record", json: response.body, id, blocks };
  },
});

/** In the title, and in the lines of the attempts. */
const SHOWN_ELSEWHERE = ["id", "attemptCount", "lastResponseStatus", "lastAttemptAt", "lastError"];

/** @param isBrief the last attempt in full, the others on a line each, and no field without a value */
function renderDetails(
  { body, bodyBase64, attempts, ...record }: DeliveryDetails,
  isBrief: boolean,
  isTerminal: boolean,
): readonly Block[] {
  const length = Buffer.from(bodyBase64, "base64").length;
  const text = body ?? `not UTF-8: ${length} bytes; --json has them as bodyBase64`;
  const card = toRecordCard("delivery", record, `Delivery ${record.id}`);
  const rows = card.rows.filter(
    ([name, value]) => !isBrief || (value !== null && !SHOWN_ELSEWHERE.includes(name)),
  );
  const shown = isBrief ? attempts.map((each) => ({ ...each, at: formatTime(each.at) })) : attempts;
  const earlier = isBrief ? shown.slice(0, -1) : [];
  return [
    { ...card, rows },
    ...(earlier.length > 0 ? [{ kind: "paragraph" as const, lines: earlier.map(summarizeAttempt) }] : []),
    ...shown.slice(earlier.length).map((each) => renderAttempt(each, isBrief, isTerminal)),
    { kind: "paragraph", title: "Body", lines: toLines(text) },
  ];
}

/** Without a title, because output for programs has no titles. */
function renderAttempt(attempt: DeliveryAttempt, isBrief: boolean, isTerminal: boolean): Block {
  const { responseExcerpt, error } = attempt;
  // The event is in the record, too.
  const headers = attempt.headers.filter(([name]) => !isBrief || name !== EVENT_HEADER);
  return {
    kind: "paragraph",
    lines: [
      summarizeAttempt(attempt),
      ...headers.flatMap(([name, value]) => {
        const line = `  ${name}: ${value}`;
        // As a signature with its name is.
        return isTerminal && line.length > 80 ? [`  ${name}:`, `    ${value}`] : [line];
      }),
      ...(error ? ["", `  ${error.code}: ${error.detail}`] : []),
      ...(responseExcerpt ? ["", ...toLines(responseExcerpt).map((line) => `  ${line}`)] : []),
    ],
  };
}

function summarizeAttempt(attempt: DeliveryAttempt): string {
  const { number, trigger, at, durationMs, responseStatus, error } = attempt;
  const outcome = responseStatus ?? error?.code ?? "no response";
  const how = trigger === "resend" ? ", resent manually" : "";
  return `Attempt ${number}${how}: ${outcome} after ${formatDuration(durationMs)} at ${at}`;
}

const toLines = (text: string): readonly string[] => text.split(/\r?\n/);
