import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import type { RecordOutput } from "../../output/output.ts";
import type { ContractDocument } from "./documents.ts";

export const hash = command({
  name: "hash",
  summary: "print the hash of a contract: of the service's own, or of a saved one",
  remote: "reads",
  output: "record",
  arguments: [{ name: "file", help: "a saved contract, - for stdin (the service's own)", isOptional: true }],
  options: {},
  examples: ["claims contract hash -q", "claims contract hash openapi.json"],
  async run(context, call) {
    const { fetchContract: liveContract, readContract: savedContract } = await import("./documents.ts");
    const { file } = call.args;
    if (file !== undefined) return renderHash(await savedContract(context, file), null);
    const live = await liveContract(await openService(context, call));
    return renderHash(live, live.etag);
  },
});

/** What the service says of its own contract is told beside what we make of it. */
function renderHash({ from, hash: found }: ContractDocument, etag: string | null): RecordOutput {
  const said = etag === null ? null : etag === found ? "the same" : `another one: ${etag}`;
  return {
    kind: "record",
    id: found,
    json: { hash: found, from, etag },
    blocks: [{ kind: "card", rows: [["hash", found], ...(said ? [["ETag", said] as const] : [])] }],
  };
}
