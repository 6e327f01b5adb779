import { HOP_BY_HOP_HEADERS } from "../../../../client/http/hop-by-hop.ts";
import { WebhookSender } from "../../../../client/webhook-sender.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { readProxySettings } from "../../../connection/proxy-settings.ts";
import type { Context } from "../../../context.ts";
import { printMessage } from "../../../output/stderr.ts";
import type { HeaderPair, ReceivedDelivery } from "../input-formats/delivery.ts";
import { bodyExcerpt } from "./body-excerpt.ts";
import { type ForwardRoute, matchesRoute } from "./routes.ts";

/** Milliseconds that an app may take: the service waits as long (product.md §5). */
export const RECEIVER_TIMEOUT_MS = 15_000;

/** What became of a delivery at one target. */
export interface ForwardResult {
  readonly url: string;
  /** Null where there was no answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** Why there was none. */
  readonly problem: { readonly code: string; readonly message: string } | null;
  /** The beginning of an answer outside 200–299. */
  readonly body: string | null;
  /** When the app wants to be asked again. */
  readonly retryAfter: string | undefined;
}

/** Hands deliveries on, to nobody who was not named. */
export class Forwarder {
  readonly #targets: readonly (ForwardRoute & { readonly target: ForwardTarget })[];

  constructor(context: Context, routes: readonly ForwardRoute[]) {
    const targets = new Map(routes.map(({ url }) => [url, new ForwardTarget(context, url)]));
    this.#targets = routes.flatMap((route) => {
      const target = targets.get(route.url);
      return target ? [{ ...route, target }] : [];
    });
  }

  /** To every target whose route the event takes, once each. */
  forward(delivery: ReceivedDelivery, event: string | null): Promise<readonly ForwardResult[]> {
    const taken = this.#targets.filter((route) => matchesRoute(route, event)).map(({ target }) => target);
    return Promise.all([...new Set(taken)].map((target) => target.post(delivery)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#targets.map(({ target }) => target.close()));
  }
}

/** An app. That it is down is said once, and that it is back as well. */
class ForwardTarget {
  readonly #context: Context;
  readonly #url: string;
  readonly #poster: WebhookSender;
  #isDown = false;

  constructor(context: Context, url: string) {
    const { env, now, signal } = context;
    this.#context = context;
    this.#url = url;
    this.#poster = new WebhookSender({
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
      const posted = await this.#poster.send(endToEndHeaders(headers).flat(), body);
      if (this.#isDown) printMessage(this.#context, `${url} answers again`);
      this.#isDown = false;
      const { status, durationMs: milliseconds } = posted;
      const isSuccess = status >= 200 && status < 300;
      return {
        ...{ url, status, milliseconds, problem: null },
        body: isSuccess ? null : bodyExcerpt(posted.body),
        retryAfter: posted.headers["retry-after"],
      };
    } catch (error) {
      if (!(error instanceof ClaimsError)) throw error;
      const { code, message, hint } = error;
      const milliseconds = this.#context.now() - startedAt;
      if (!this.#isDown && error.kind === "unreachable")
        printMessage(this.#context, `warning: ${message}; deliveries are still taken (${hint})`);
      this.#isDown = true;
      return {
        ...{ url, status: null, milliseconds, problem: { code, message }, body: null },
        retryAfter: undefined,
      };
    }
  }

  close(): Promise<void> {
    return this.#poster.close();
  }
}

/** Everything but what belongs to the connection, and the host, which is the target's. */
function endToEndHeaders(headers: readonly HeaderPair[]): readonly HeaderPair[] {
  const listed = headers.flatMap(([name, value]) =>
    name.toLowerCase() === "connection" ? value.toLowerCase().split(/[\s,]+/) : [],
  );
  const dropped = new Set([...HOP_BY_HOP_HEADERS, ...listed, "host"]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** What a sender is told for its targets: the worst of it, so that it sends again what one of them did not take. */
export function worstResponse(forwarded: readonly ForwardResult[]): {
  readonly status: number;
  readonly retryAfter: string | undefined;
} {
  const answers = forwarded.map(({ status, problem, retryAfter }) => ({
    status: status ?? (problem?.code === "timeout" ? 504 : 502),
    retryAfter,
  }));
  return answers.reduce((worst, each) => (severity(each.status) > severity(worst.status) ? each : worst));
}

/** A success is better than anything else; the rest goes by its number. */
const severity = (status: number): number => (status >= 200 && status < 300 ? status - 200 : status);
