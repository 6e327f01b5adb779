import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { toCard } from "../../output/create-blocks.ts";
import { pinOption, pinPath, writePin } from "./pins.ts";

export const pin = command({
  name: "pin",
  prints: "ContractPin",
  summary: "save the service's contract as the one to compare with",
  remote: "reads",
  output: "record",
  options: pinOption,
  examples: ["claims contract pin", "claims contract pin --pin-file contract.json"],
  async run(context, call) {
    const service = await openService(context, call);
    const { fetchContract } = await import("./documents.ts");
    const { hash, document } = await fetchContract(service);
    const { baseUrl } = service.connection;
    const file = pinPath(context, baseUrl, call.options.pinFile);
    const pinnedAt = new Date(context.now()).toISOString();
    await writePin(file, { baseUrl, hash, pinnedAt, document });
    return {
      kind: "record",
      id: hash,
      json: { baseUrl, hash, pinnedAt, file },
      blocks: [toCard("pin", { hash, file }, { title: `Pinned the contract of ${baseUrl}` })],
    };
  },
});
