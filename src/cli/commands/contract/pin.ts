import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { pinOption, pinPath, writePin } from "./pins.ts";

export const pin = command({
  name: "pin",
  summary: "remember the service's contract as the one that this machine works with",
  remote: "reads",
  output: "record",
  options: pinOption,
  examples: ["claims contract pin", "claims contract pin --pin-file contract.json"],
  async run(context, call) {
    const service = await openService(context, call);
    const { fetchContract: liveContract } = await import("./documents.ts");
    const { hash, document } = await liveContract(service);
    const { baseUrl } = service.connection;
    const path = pinPath(context, baseUrl, call.options.pinFile);
    const pinnedAt = new Date(context.now()).toISOString();
    await writePin(path, { baseUrl, hash, pinnedAt, document });
    return {
      kind: "record",
      id: hash,
      json: { baseUrl, hash, pinnedAt, file: path },
      blocks: [
        {
          kind: "card",
          title: `Pinned the contract of ${baseUrl}`,
          rows: [
            ["hash", hash],
            ["file", path],
          ],
        },
      ],
    };
  },
});
