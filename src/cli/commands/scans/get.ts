import { openService } from "../../connection/service.ts";
import { chooseAlias, viaAliasOptions } from "../../connection/via-alias.ts";
import { command } from "../../framework/command.ts";
import { fetchScan, renderScan } from "./scan.ts";

export const get = command({
  name: "get",
  summary: "show a portfolio scan, and what a delta found",
  remote: "reads",
  output: "record",
  arguments: [{ name: "scan", help: "its id" }],
  options: viaAliasOptions,
  examples: ["claims scans get 3c0e…", "claims scans get 3c0e… --json | jq -r .state"],
  async run(context, call) {
    const alias = await chooseAlias(context, "scans.get", call.options);
    return renderScan(await fetchScan(await openService(context, call), call.args.scan, alias));
  },
});
