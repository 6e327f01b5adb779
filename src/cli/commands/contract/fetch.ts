import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";

export const fetch = command({
  name: "fetch",
  summary: "print the contract that the service serves, byte for byte",
  remote: "reads",
  output: "bytes",
  options: {},
  examples: ["claims contract fetch --out openapi.json", "claims contract fetch | jq '.paths | keys'"],
  async run(context, call) {
    const service = await openService(context, call);
    const { fetchContract: liveContract } = await import("./documents.ts");
    const { body } = await liveContract(service);
    return { kind: "stream", body: [body] };
  },
});
