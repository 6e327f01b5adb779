import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import type { Invocation } from "../../framework/command.ts";
import { command } from "../../framework/command.ts";
import { toListOutput } from "../../output/output.ts";
import { DIFFERENCE_COLUMNS } from "./difference-columns.ts";
import type { ContractDocument } from "./documents.ts";
import { noPinError, pinOption, pinPath, readPin } from "./pins.ts";

const SOURCES_HELP = "live, pinned, bundled, or a saved contract";

export const diff = command({
  name: "diff",
  summary: "show what differs between two contracts, operation by operation",
  remote: "reads",
  output: "list",
  arguments: [
    { name: "from", help: `${SOURCES_HELP} (bundled)`, isOptional: true },
    { name: "to", help: `${SOURCES_HELP} (live)`, isOptional: true },
  ],
  options: pinOption,
  examples: [
    "claims contract diff",
    "claims contract diff pinned live",
    "claims contract diff old.json new.json",
  ],
  async run(context, call) {
    const { compareContracts } = await import("./documents.ts");
    const source = createReader(context, call);
    const from = await source(call.args.from ?? "bundled");
    const to = await source(call.args.to ?? "live");
    return toListOutput({
      items: compareContracts(from.document, to.document),
      columns: DIFFERENCE_COLUMNS,
      idOf: ({ operation }) => operation,
      emptyMessage: from.hash === to.hash ? "they are the same" : "they differ in words only",
    });
  },
});

/** Reads the contracts that a line names; the service is opened once, and only where one is asked for. */
function createReader(
  context: Context,
  call: Pick<Invocation<typeof pinOption>, "options" | "global" | "onEnd" | "requestTimeout">,
) {
  let opened: Promise<Service> | undefined;
  const service = () => (opened ??= openService(context, call));
  return async (name: string): Promise<ContractDocument> => {
    const {
      loadBundledContract: bundledContract,
      fetchContract: liveContract,
      readContract: savedContract,
    } = await import("./documents.ts");
    if (name === "bundled") return bundledContract();
    if (name === "live") return liveContract(await service());
    if (name !== "pinned") return savedContract(context, name);
    const { baseUrl } = (await service()).connection;
    const path = pinPath(context, baseUrl, call.options.pinFile);
    const pin = await readPin(path, baseUrl);
    if (pin) return { from: "pinned", ...pin };
    throw noPinError(baseUrl, path);
  };
}
