import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";

export const fetch = command({
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
