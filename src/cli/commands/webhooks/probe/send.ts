import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { Poster } from "../../../../client/poster.ts";
import { ClaimsError } from "../../../../domain/errors.ts";
import { outcomeOf, type ProbeAnswer } from "../../../../domain/webhooks/probe/answers.ts";
import { type CaseId, caseOf } from "../../../../domain/webhooks/probe/cases.ts";
import { readAuthority } from "../../../authority.ts";
import type { OptionValues } from "../../../command.ts";
import type { Context } from "../../../context.ts";
import { proxySettings } from "../../../proxy-settings.ts";
import { requiredSecrets } from "../given-secrets.ts";
import type { Header } from "../intake/delivery.ts";
import { PATIENCE } from "../listen/forward.ts";
import type { probeOptions } from "../probe.ts";
import { signingSecret } from "../signing-secret.ts";
import { addedHeaders } from "./headers.ts";

/** Why nothing can have been sent. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  "connection_refused",
  "dns_error",
  "proxy_refused",
  "tls_error",
]);

/** Sends one case and tells what came of it; throws where there has never been anybody to send to. */
type Send = (id: CaseId) => Promise<ProbeAnswer>;

/** A sender to that receiver: every delivery goes over a connection of its own, with a timestamp of its own. */
export async function senderTo(
  context: Context,
  url: URL,
  options: OptionValues<typeof probeOptions>,
): Promise<Send> {
  const { event = "partner.test", caFile, header = [], timeout: patience = PATIENCE } = options;
  const added = await addedHeaders(context, header);
  const secret = signingSecret(await requiredSecrets(context, options));
  const ca = caFile === undefined ? undefined : await readAuthority(context, caFile);
  const { env, now, signal } = context;
  const line = { url: url.href, patience, ca, proxy: proxySettings(env), now };
  const agent = ["User-Agent", `claims/${context.version}`] as const;
  context.tuneForShortRun();
  let wasThere = false;
  return async (name) => {
    const { times = 1, make } = caseOf(name);
    const id = randomUUID();
    const once = () => {
      const { headers, body } = make({ secret, event, id, now: now() });
      return answerTo(new Poster({ ...line, signal }), [agent, ...added, ...headers], body);
    };
    for (let sent = 1; sent < times; sent += 1) await once();
    return once();
  };

  async function answerTo(poster: Poster, headers: readonly Header[], body: string): Promise<ProbeAnswer> {
    const startedAt = now();
    try {
      const { status, milliseconds } = await poster.post(headers.flat(), Buffer.from(body));
      return { outcome: outcomeOf(status), status, milliseconds };
    } catch (error) {
      if (!(error instanceof ClaimsError) || error.kind !== "unreachable") throw error;
      // One that has been there before has gone since, which is an answer of its own.
      if (!wasThere && NEVER_SENT.has(error.code)) throw error;
      return { outcome: "unanswered", status: null, milliseconds: now() - startedAt };
    } finally {
      wasThere = true;
      await poster.close();
    }
  }
}
