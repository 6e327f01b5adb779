import { openService } from "../../connection/service.ts";
import { type AnyCommand, command } from "../../framework/command.ts";
import { toCard, toCardOutput, toListOutput } from "../../output/output.ts";
import { check } from "./check.ts";
import { diff } from "./diff.ts";
import { pinOption, pinPath, writePin } from "./pins.ts";

const assumptions = command({
  name: "assumptions",
  prints: "Assumptions",
  summary: "list the assumptions of the sandbox and this client about what the interface leaves open",
  output: "list",
  quietPrints: "operations and subjects",
  examples: [
    "claims contract assumptions",
    "claims contract assumptions --ndjson | jq -c 'select(.operation == \"clients.list\")'",
  ],
  async run() {
    const { listAssumptions } = await import("../../../contract/assumptions.ts");
    return toListOutput({
      items: listAssumptions(),
      columns: [
        { name: "operation" },
        { name: "kind" },
        { name: "subject", canWrap: true },
        { name: "source", canWrap: true },
      ],
      idOf: ({ operation, subject }) => `${operation} ${subject}`,
      emptyMessage: "no assumptions",
    });
  },
});

const fetch = command({
  name: "fetch",
  summary: "print the service's contract byte for byte",
  remote: "reads",
  output: "bytes",
  examples: ["claims contract fetch --out openapi.json", "claims contract fetch | jq '.paths | keys'"],
  async run(context, call) {
    const service = await openService(context, call);
    const { fetchContract } = await import("./documents.ts");
    const { body } = await fetchContract(service);
    return { kind: "stream", body: [body] };
  },
});

const hash = command({
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
    const fields = { hash: id, ...(etag !== null && { ETag: tag }) };
    return toCardOutput("contract", { id, record, fields });
  },
});

const pin = command({
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

export const commands: readonly AnyCommand[] = [fetch, hash, pin, check, diff, assumptions];
