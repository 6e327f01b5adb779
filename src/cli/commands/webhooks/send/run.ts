import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { sendOnce } from "../../../../client/webhook-sender.ts";
import { rejectedError } from "../../../../domain/errors.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import { renderDryRun } from "../../../output/dry-run.ts";
import type { Block, Output } from "../../../output/output.ts";
import { adviseOnStatus, bodyExcerpt, isSuccess, readReceiverOptions } from "../receiver-response.ts";
import { signHeaders } from "../sign.ts";
import { refuseStdinConflict, requireSingleSecret } from "../signing-secrets.ts";
import type { SendOptions } from "./send.ts";

export async function runSend(context: Context, options: SendOptions): Promise<Output> {
  const { to, body: file, event, secretFile = [], timestamp, header: given = [] } = options;
  refuseStdinConflict([file, ...secretFile]);
  const body = file === undefined ? createSampleBody(context, event) : await readInput(context, file);
  const secret = await requireSingleSecret(context, options);
  const signed = Object.entries(signHeaders(context, { secret, body, timestamp, event }));
  const type = given.find(([name]) => name.toLowerCase() === "content-type");
  const others = [...signed, ...given.filter((each) => each !== type)];
  const [typeName, contentType] = type ?? ["Content-Type", "application/json"];
  if (options.dryRun || options.curl) {
    const content =
      file === undefined
        ? { text: body.toString("utf8"), file: null }
        : { text: null, file: { source: file, name: file, contentType, size: body.length } };
    const request = {
      method: "POST",
      url: to,
      headers: Object.fromEntries(others),
      authorization: null,
      body: { contentType, fields: {}, ...content },
    } as const;
    return renderDryRun(request, options.curl);
  }
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  const headers = [agent, [typeName, contentType] as const, ...others];
  const receiver = await readReceiverOptions(context, to, options);
  context.tuneForShortRun();
  const { status, durationMs, ...response } = await sendOnce(receiver, headers.flat(), body);
  const sent = { headers, fingerprint: fingerprint(secret) };
  const text = bodyExcerpt(response.body);
  const isAccepted = isSuccess(status);
  const card: Block = {
    kind: "card",
    section: "response",
    title: `The receiver ${isAccepted ? "accepted" : "did not accept"} the delivery`,
    record: {
      url: to,
      status,
      durationMs,
      response: { body: text },
      sent: { fingerprint: sent.fingerprint },
    },
    rows: [
      ["to", to],
      ["status", status],
      ["time", `${durationMs} ms`],
      ["secret", sent.fingerprint],
    ],
  };
  const excerpt: Block = { kind: "paragraph", title: "Response", isAdvice: true, lines: text.split("\n") };
  return {
    kind: "record",
    json: { url: to, status, durationMs, response: { headers: response.headers, body: text }, sent },
    blocks: text === "" ? [card] : [card, excerpt],
    failure: isAccepted
      ? undefined
      : rejectedError("delivery_rejected", `${to} responded ${status}`, {
          hint: adviseOnStatus(status),
          status,
        }),
  };
}

/** A payload like the sandbox's (product.md §5), with a new id: a receiver can ignore an id that it knows. */
const createSampleBody = ({ now }: Context, event = "partner.test"): Buffer =>
  Buffer.from(
    JSON.stringify({
      id: randomUUID(),
      type: event,
      environment: "sandbox",
      createdAt: new Date(now()).toISOString(),
      data: { note: "synthetic event of claims webhooks send" },
    }),
  );
