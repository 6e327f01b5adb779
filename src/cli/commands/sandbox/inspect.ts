import type { Context } from "../../context.ts";
import { toSentenceOutput } from "../../output/output.ts";
import { printMessage } from "../../output/stderr.ts";
import { defineControlCommand } from "../../sandbox-control/control-command.ts";

/** The file has every view, so the sandbox needs a while to write it. */
const REPORT_TIMEOUT_MS = 60_000;

export const inspect = defineControlCommand({
  name: "inspect",
  prints: "POST /inspect",
  summary:
    "print a URL that opens the pages of a sandbox once, within 60 seconds; --out writes them to a file",
  output: "record",
  options: { open: { help: "open it in the browser" } },
  examples: [
    "claims sandbox inspect",
    "claims sandbox inspect --open",
    "claims sandbox inspect --out run.html",
  ],
  async run(context, { options: { open }, global: { out } }, control) {
    if (out !== undefined) {
      const { body } = await control.fetch("GET /report", { timeoutMs: REPORT_TIMEOUT_MS });
      return { kind: "stream", body: [body] };
    }
    const ticket = await control.send("POST /inspect", "url");
    const failure = open ? await openBrowser(context, ticket.url) : null;
    if (failure !== null)
      printMessage(context, `warning: no browser was opened: ${failure}; open the URL yourself`);
    return toSentenceOutput(ticket.url, ticket.url, ticket);
  },
});

const OPENERS: Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** An opener that has not failed by then may be the browser itself, which ends when the user closes it. */
const OPENER_TIMEOUT_MS = 2_000;

/** Opens a URL in the user's browser; returns why that failed, or null. */
export async function openBrowser(context: Context, url: string): Promise<string | null> {
  const [command, ...args] = OPENERS[context.platform] ?? ["xdg-open"];
  // Silent: what a browser prints does not belong to our output, and Ctrl-C here does not end it.
  const opener = context.start({ command, args: [...args, url], env: context.env, mode: { kind: "silent" } });
  opener.unref();
  const waiting = new AbortController();
  const ended = opener.ended.then(
    (end) => ("code" in end && end.code === 0 ? null : `${command} failed`),
    () => `${command} is not installed`,
  );
  const timeout = context.sleep(OPENER_TIMEOUT_MS, waiting.signal).then(
    () => null,
    () => null,
  );
  const failure = await Promise.race([ended, timeout]);
  waiting.abort();
  return failure;
}
