import type { Difference } from "../../../contract/compare/compare-contracts.ts";
import { formatCount } from "../../../domain/numbers.ts";
import { openService, type Service } from "../../connection/service.ts";
import type { Context } from "../../context.ts";
import { type BaseInvocation, command } from "../../framework/command.ts";
import type { OptionValues } from "../../framework/options.ts";
import { type ListColumn, toListOutput } from "../../output/output.ts";
import type { ContractDocument } from "./documents.ts";
import { noPinError, pinOption, pinPath, readPin } from "./pins.ts";

const SOURCES_HELP = "live, pinned, bundled, or a saved contract";

export const diff = command({
  name: "diff",
  prints: "ContractDifferences",
  summary: "list the differences between two contracts",
  remote: "reads",
  output: "list",
  arguments: [
    { name: "from", help: SOURCES_HELP, default: "bundled", isOptional: true },
    { name: "to", help: SOURCES_HELP, default: "live", isOptional: true },
  ],
  options: pinOption,
  examples: [
    "claims contract diff",
    "claims contract diff pinned live",
    "claims contract diff old.json new.json",
  ],
  async run(context, call) {
    const { compareContracts } = await import("./documents.ts");
    const read = createReader(context, call);
    const from = await read(call.args.from ?? "bundled");
    const to = await read(call.args.to ?? "live");
    return toListOutput({
      items: compareContracts(from.document, to.document),
      columns: DIFFERENCE_COLUMNS,
      idOf: ({ operation }) => operation,
      emptyMessage: "the contracts are the same",
    });
  },
});

/** Reads contracts by name. It opens the service once, and only for a name that needs it. */
function createReader(
  context: Context,
  call: BaseInvocation & { readonly options: OptionValues<typeof pinOption> },
) {
  let opened: Promise<Service> | undefined;
  const open = () => (opened ??= openService(context, call));
  return async (name: string): Promise<ContractDocument> => {
    const { fetchContract, loadBundledContract, readContract } = await import("./documents.ts");
    if (name === "bundled") return loadBundledContract();
    if (name === "live") return fetchContract(await open());
    if (name !== "pinned") return readContract(context, name);
    const { baseUrl } = (await open()).connection;
    const path = pinPath(context, baseUrl, call.options.pinFile);
    const pin = await readPin(path, baseUrl);
    if (pin) return { from: "pinned", ...pin };
    throw noPinError(baseUrl, path);
  };
}

export const DIFFERENCE_COLUMNS: readonly ListColumn<Difference>[] = [
  { name: "effect" },
  { name: "operation" },
  { name: "location" },
  { name: "message", canWrap: true },
];

export const isBreaking = ({ effect }: Difference): boolean => effect === "breaks";

export const countDifferences = (differences: readonly Difference[]): string =>
  `${formatCount(differences.length, "difference")}, of which ${differences.filter(isBreaking).length} would break this client`;
