import { HOP_BY_HOP_HEADERS } from "../../../../client/http/hop-by-hop.ts";
import { WebhookSender } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { readProxySettings } from "../../../connection/sources.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { HeaderPair, ReceivedDelivery } from "../input-formats/delivery.ts";
import { bodyExcerpt, isSuccess, RECEIVER_TIMEOUT_MS } from "../receiver-response.ts";
import { type ForwardRoute, matchesRoute } from "./routes.ts";

export interface ForwardResult {
  readonly url: string;
  /** Null without a response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why there is no response. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The beginning of the body of a response outside 200–299. */
  readonly body: string | null;
  readonly retryAfter: string | undefined;
}

/** Forwards deliveries to the targets of the matching routes. */
export class Forwarder {
  readonly #targets: readonly (ForwardRoute & { readonly target: ForwardTarget })[];

  constructor(context: Context, routes: readonly ForwardRoute[]) {
    const targets = new Map(routes.map(({ url }) => [url, new ForwardTarget(context, url)]));
    this.#targets = routes.flatMap((route) => {
      const target = targets.get(route.url);
      return target ? [{ ...route, target }] : [];
    });
  }

  /** Sends to each matching target once. */
  forward(delivery: ReceivedDelivery, event: string | null): Promise<readonly ForwardResult[]> {
    const taken = this.#targets.filter((route) => matchesRoute(route, event)).map(({ target }) => target);
    return Promise.all([...new Set(taken)].map((target) => target.post(delivery)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#targets.map(({ target }) => target.close()));
  }
}

/** An app. Reports once when it goes down, and once when it is back. */
class ForwardTarget {
  readonly #context: Context;
  readonly #url: string;
  readonly #sender: WebhookSender;
  #isDown = false;

  constructor(context: Context, url: string) {
    const { env, now, signal } = context;
    this.#context = context;
    this.#url = url;
    this.#sender = new WebhookSender({
      url,
      timeoutMs: RECEIVER_TIMEOUT_MS,
      proxy: readProxySettings(env),
      signal,
      now,
    });
  }

  async post({ headers, body }: ReceivedDelivery): Promise<ForwardResult> {
    const url = this.#url;
    const startedAt = this.#context.now();
    try {
      const response = await this.#sender.send(endToEndHeaders(headers).flat(), body);
      if (this.#isDown) printMessage(this.#context, `${url} responds again`);
      this.#isDown = false;
      const { status, durationMs } = response;
      const excerpt = isSuccess(status) ? null : bodyExcerpt(response.body);
      return {
        url,
        status,
        durationMs,
        error: null,
        body: excerpt,
        retryAfter: response.headers["retry-after"],
      };
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      const { code, message, hint } = error;
      const durationMs = this.#context.now() - startedAt;
      if (!this.#isDown && error.kind === "unreachable")
        printMessage(this.#context, `warning: ${message}; deliveries are still accepted (${hint})`);
      this.#isDown = true;
      return { url, status: null, durationMs, error: { code, message }, body: null, retryAfter: undefined };
    }
  }

  close(): Promise<void> {
    return this.#sender.close();
  }
}

/** The headers without those of the connection (RFC 9110 §7.6.1) and Host. */
function endToEndHeaders(headers: readonly HeaderPair[]): readonly HeaderPair[] {
  const listed = headers.flatMap(([name, value]) =>
    name.toLowerCase() === "connection" ? value.toLowerCase().split(/[\s,]+/) : [],
  );
  const dropped = new Set([...HOP_BY_HOP_HEADERS, ...listed, "host"]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** The worst of the responses, so that the sender retries when one target failed. */
export function worstResponse(forwarded: readonly ForwardResult[]) {
  const answers = forwarded.map(({ status, error, retryAfter }) => ({
    status: status ?? (error?.code === "timeout" ? 504 : 502),
    retryAfter,
  }));
  return answers.reduce((worst, each) => (severity(each.status) > severity(worst.status) ? each : worst));
}

/** Ranks successes lowest, and other statuses by their number. */
const severity = (status: number): number => (isSuccess(status) ? status - 200 : status);
