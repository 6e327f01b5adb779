import { printMessage } from "../../output/stderr.ts";
import { controlCommand } from "../../sandbox-control/control-command.ts";
import { openBrowser } from "./open-browser.ts";

/** The file has every view. */
const REPORT_TIMEOUT_MS = 60_000;

export const inspect = controlCommand({
  name: "inspect",
  prints: "InspectorTicket",
  summary:
    "print a URL that opens the pages of a sandbox once, within 60 seconds; --out writes them to a file",
  output: "record",
  options: { open: { help: "open it in the browser" } },
  examples: [
    "claims sandbox inspect",
    "claims sandbox inspect --open",
    "claims sandbox inspect --out run.html",
  ],
  async run(control, { options: { open }, global: { out } }, context) {
    if (out !== undefined) {
      const { body } = await control.fetch("GET /report", { timeoutMs: REPORT_TIMEOUT_MS });
      return { kind: "stream", body: [body] };
    }
    const ticket = await control.send("POST /inspect", "url");
    const failure = open ? await openBrowser(context, ticket.url) : null;
    if (failure !== null)
      printMessage(context, `warning: no browser was opened: ${failure}; open the URL yourself`);
    return {
      kind: "record",
      json: ticket,
      id: ticket.url,
      blocks: [{ kind: "paragraph", lines: [ticket.url] }],
    };
  },
});
