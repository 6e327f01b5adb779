import { ClaimsError } from "../../../domain/errors.ts";
import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import type { Block } from "../../output/output.ts";
import { quoteShellWord } from "../../output/shell-quote.ts";
import { differenceTable } from "./difference-columns.ts";
import type { Difference } from "./documents.ts";
import { noPinError, pinOption, pinPath, readPin } from "./pins.ts";

export const check = command({
  name: "check",
  summary: "hold the service's contract against the pinned one and the one this version was made for",
  remote: "reads",
  output: "document",
  options: pinOption,
  examples: ["claims contract check", "claims contract check --pin-file contract.json --json | jq .sincePin"],
  async run(context, call) {
    const service = await openService(context, call);
    const {
      loadBundledContract: bundledContract,
      compareContracts,
      fetchContract: liveContract,
    } = await import("./documents.ts");
    const live = await liveContract(service);
    const { baseUrl } = service.connection;
    const { pinFile } = call.options;
    const path = pinPath(context, baseUrl, pinFile);
    const pin = await readPin(path, baseUrl);
    if (pin === null && pinFile !== undefined) throw noPinError(baseUrl, path);
    const bundled = bundledContract();
    const fromBundled = compareContracts(bundled.document, live.document);
    const sincePin = pin && compareContracts(pin.document, live.document);
    return {
      kind: "record",
      json: {
        ...{ baseUrl, live: live.hash, etag: live.etag, bundled: bundled.hash },
        pinned: pin && { hash: pin.hash, pinnedAt: pin.pinnedAt },
        ...{ fromBundled, sincePin },
      },
      blocks: [
        {
          kind: "card",
          title: `The contract of ${baseUrl}`,
          rows: [
            ["live", live.hash],
            [
              "pinned",
              pin ? `${compareHash(pin.hash, live.hash)}, ${pin.pinnedAt}` : "nothing: `claims contract pin`",
            ],
            ["bundled", compareHash(bundled.hash, live.hash)],
          ],
        },
        ...differenceTables("Since it was pinned", sincePin ?? []),
        ...differenceTables("Beside what this version was made for", fromBundled),
      ],
      failure:
        pinFailure(pin?.hash, live.hash, sincePin, pinFile) ??
        breakingFailure(fromBundled) ??
        etagFailure(live.hash, live.etag),
    };
  },
});

const compareHash = (hash: string, live: string): string => (hash === live ? "the same" : hash);

const differenceTables = (title: string, differences: readonly Difference[]): Block[] =>
  differences.length > 0 ? [differenceTable(title, differences)] : [];

const isBreaking = ({ effect }: Difference): boolean => effect === "breaks";

function pinFailure(
  pinned: string | undefined,
  live: string,
  differences: readonly Difference[] | null,
  pinFile: string | undefined,
): ClaimsError | undefined {
  if (pinned === undefined || pinned === live) return undefined;
  const where = pinFile === undefined ? "" : ` --pin-file ${quoteShellWord(pinFile)}`;
  return new ClaimsError(
    "verification",
    "contract_changed",
    `the contract is not the pinned one: ${countDifferences(differences ?? [])}`,
    { hint: `look at \`claims contract diff pinned live${where}\`; pin it again when it is what you want` },
  );
}

function breakingFailure(differences: readonly Difference[]): ClaimsError | undefined {
  const [first, ...others] = differences.filter(isBreaking);
  if (!first) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more` : "";
  return new ClaimsError(
    "verification",
    "contract_breaks",
    `this client would break: ${[first.operation, first.location].filter(Boolean).join(" ")}: ${first.message}${more}`,
    { hint: "look at `claims contract diff`; a newer version of this program may know that contract" },
  );
}

/** The hash that a service names is that of its own document (interface §9.4), where it is one at all. */
function etagFailure(hash: string, etag: string | null): ClaimsError | undefined {
  if (etag === null || !/^[0-9a-f]{64}$/.test(etag) || etag === hash) return undefined;
  return new ClaimsError(
    "verification",
    "etag_differs",
    `the contract hashes to ${hash}, and its ETag is ${etag}`,
    {
      hint: "something between here and the service has changed the document",
    },
  );
}

function countDifferences(differences: readonly Difference[]): string {
  const breaking = differences.filter(isBreaking).length;
  if (differences.length === 0) return "it differs in words only";
  const count = differences.length === 1 ? "1 difference" : `${differences.length} differences`;
  return `${count}, of which ${breaking} would break this client`;
}
