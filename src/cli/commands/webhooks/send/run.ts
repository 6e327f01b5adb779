import type { Buffer } from "node:buffer";
import { type WebhookResponse, WebhookSender } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { fingerprint } from "../../../../domain/webhooks/fingerprint.ts";
import { readProxySettings } from "../../../connection/proxy-settings.ts";
import type { Context } from "../../../context.ts";
import { readInput } from "../../../files/input-file.ts";
import type { OptionValues } from "../../../framework/options.ts";
import { renderCurl, renderRequest } from "../../../output/dry-run.ts";
import type { Output } from "../../../output/output.ts";
import type { HeaderPair } from "../input-formats/delivery.ts";
import { bodyExcerpt } from "../listen/body-excerpt.ts";
import { RECEIVER_TIMEOUT_MS } from "../listen/forwarder.ts";
import { adviseOnStatus } from "../listen/status-advice.ts";
import { signHeaders } from "../signed-headers.ts";
import { requireSecrets } from "../signing-secrets.ts";
import { requireSingleSecret } from "../single-secret.ts";
import { refuseStdinConflict } from "../stdin-conflict.ts";
import { createSampleBody } from "./sample-body.ts";
import type { sendOptions } from "./send.ts";

type SendOptions = OptionValues<typeof sendOptions>;

/** Posts one signed body, and tells what the receiver answered. */
export async function runSend(context: Context, options: SendOptions): Promise<Output> {
  const { body: source, event, secretFile = [], secretStdin, timestamp, header: givenHeaders = [] } = options;
  refuseStdinConflict([source, ...secretFile], secretStdin);
  const body = source === undefined ? createSampleBody(context, event) : await readInput(context, source);
  const secret = requireSingleSecret(await requireSecrets(context, options));
  const signed = Object.entries(signHeaders(context, { secret, body, timestamp, event }));
  const type = givenHeaders.find(([name]) => name.toLowerCase() === "content-type");
  const others = givenHeaders.filter((each) => each !== type);
  const contentType = type?.[1] ?? "application/json";
  if (options.dryRun || options.print)
    return renderDryRun(options, body, contentType, [...signed, ...others]);
  const headers: readonly HeaderPair[] = [
    ["User-Agent", `claims/${context.version}`],
    [type?.[0] ?? "Content-Type", contentType],
    ...signed,
    ...others,
  ];
  return renderResponse(options.to.url, await postBody(context, options, headers, body), {
    headers,
    fingerprint: fingerprint(secret),
  });
}

/** What would be sent; the signature may be shown, the secret is nowhere in it. */
function renderDryRun(
  { to, body: source, print: form }: SendOptions,
  body: Buffer,
  contentType: string,
  headers: readonly HeaderPair[],
): Output {
  const text = source === undefined ? body.toString("utf8") : null;
  const request = {
    method: "POST",
    url: to.url,
    headers: Object.fromEntries(headers),
    authorization: null,
    body: { kind: "bytes", contentType, size: body.length, source: source ?? null, text },
  } as const;
  return form === "curl" ? renderCurl(request) : renderRequest(request);
}

async function postBody(
  context: Context,
  { to, timeout: patience = RECEIVER_TIMEOUT_MS }: SendOptions,
  headers: readonly HeaderPair[],
  body: Buffer,
): Promise<WebhookResponse> {
  const { env, now, signal } = context;
  const poster = new WebhookSender({
    url: to.url,
    timeoutMs: patience,
    proxy: readProxySettings(env),
    signal,
    now,
  });
  try {
    return await poster.send(headers.flat(), body);
  } finally {
    await poster.close();
  }
}

function renderResponse(
  url: string,
  { status, durationMs: milliseconds, headers, body }: WebhookResponse,
  sent: { readonly headers: readonly HeaderPair[]; readonly fingerprint: string },
): Output {
  const text = bodyExcerpt(body);
  const isSuccess = status >= 200 && status < 300;
  return {
    kind: "record",
    json: { url, status, milliseconds, answer: { headers, body: text }, sent },
    blocks: [
      {
        kind: "card",
        title: isSuccess ? "The receiver took it" : "The receiver did not take it",
        rows: [
          ["to", url],
          ["status", status],
          ["time", `${milliseconds} ms`],
          ["secret", sent.fingerprint],
        ],
      },
      ...(text === "" ? [] : [{ kind: "paragraph", title: "It answered", lines: text.split("\n") } as const]),
    ],
    failure: isSuccess
      ? undefined
      : new ClaimsError("rejected", "not_taken", `${url} answered ${status}`, {
          hint: adviseOnStatus(status),
          status,
        }),
  };
}
