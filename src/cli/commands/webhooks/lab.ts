import { command } from "../../framework/command.ts";

export const lab = command({
  name: "lab",
  summary:
    "write the signature lab: one page to paste a request and a secret into, which connects to nothing",
  output: "bytes",
  examples: ["claims webhooks lab --out lab.html", "claims webhooks lab | wc -c"],
  async run() {
    const { renderLabFile } = await import("../../../pages/lab/lab-file.tsx");
    return { kind: "stream", body: [renderLabFile()] };
  },
});
