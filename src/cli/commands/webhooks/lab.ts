import { usageError } from "../../../domain/errors.ts";
import { command } from "../../framework/command.ts";

export const lab = command({
  name: "lab",
  summary:
    "write the signature lab: one page to paste a request and a secret into, which connects to nothing",
  output: "bytes",
  examples: ["claims webhooks lab --out lab.html", "claims webhooks lab | wc -c"],
  async run(_, { global }) {
    if (global.json)
      throw usageError("option_conflict", "the lab is HTML", {
        hint: "leave out --json; --out lab.html writes it to a file",
      });
    const { renderLabFile } = await import("../../../pages/lab/lab-file.tsx");
    return { kind: "stream", body: [renderLabFile()] };
  },
});
