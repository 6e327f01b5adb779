import { controlCommand } from "../../sandbox-control/control-command.ts";
import { openBrowser } from "./open-browser.ts";

export const inspect = controlCommand({
  name: "inspect",
  summary: "print a URL that opens the pages of a sandbox in a browser, once and within 60 seconds",
  output: "record",
  options: { open: { help: "open it in the browser" } },
  examples: ["claims sandbox inspect", "claims sandbox inspect --open"],
  async run(control, { options: { open } }, context) {
    const ticket = await control.send("POST /inspect", "url");
    if (open === true) await openBrowser(context, ticket.url);
    return {
      kind: "record",
      json: ticket,
      id: ticket.url,
      blocks: [{ kind: "paragraph", lines: [ticket.url] }],
    };
  },
});
