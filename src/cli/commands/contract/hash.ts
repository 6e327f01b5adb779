import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { toCard } from "../../output/create-blocks.ts";

export const hash = command({
  name: "hash",
  prints: "ContractHash",
  summary: "print the hash of the service's contract, or of a saved one",
  remote: "reads",
  output: "record",
  arguments: [
    { name: "file", help: "a saved contract, - for stdin", default: "the service's", isOptional: true },
  ],
  examples: ["claims contract hash -q", "claims contract hash openapi.json"],
  async run(context, call) {
    const { fetchContract, readContract } = await import("./documents.ts");
    const contract =
      call.args.file === undefined
        ? await fetchContract(await openService(context, call))
        : { ...(await readContract(context, call.args.file)), etag: null };
    const { hash: id, from, etag } = contract;
    const tag = etag === id ? "the same" : `different: ${etag}`;
    const record = { hash: id, from, etag };
    const card = toCard("contract", { hash: id, ...(etag !== null && { ETag: tag }) }, { record });
    return { kind: "record", id, json: record, blocks: [card] };
  },
});
