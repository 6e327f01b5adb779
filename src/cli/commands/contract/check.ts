import type { Difference } from "../../../contract/compare/compare-contracts.ts";
import { type ClaimsError, usageError, verificationError } from "../../../domain/errors.ts";
import { quoteShellWord } from "../../../domain/shell.ts";
import { openService } from "../../connection/service.ts";
import { command } from "../../framework/command.ts";
import { type Block, toTable } from "../../output/output.ts";
import { countDifferences, DIFFERENCE_COLUMNS, isBreaking } from "./diff.ts";
import type { LiveContract } from "./documents.ts";
import { noPinError, pinOption, pinPath, readPin } from "./pins.ts";

export const check = command({
  name: "check",
  prints: "ContractCheck",
  summary: "compare the service's contract with the pinned one and with the one of this version",
  remote: "reads",
  output: "document",
  options: {
    ...pinOption,
    hash: {
      value: "hex",
      parse: parseHash,
      conflicts: ["pinFile"],
      help: "compare the contract's hash with this one, as that of a deployment, instead of the pin",
    },
  },
  examples: [
    "claims contract check",
    "claims contract check --pin-file contract.json --json | jq .sincePin",
    "claims contract check --mapping mapping.json",
  ],
  async run(context, call) {
    const service = await openService(context, call);
    const { compareContracts, fetchContract, loadBundledContract } = await import("./documents.ts");
    const live = await fetchContract(service);
    const { baseUrl } = service.connection;
    const { pinFile, hash: expected } = call.options;
    const path = pinPath(context, baseUrl, pinFile);
    const pin = expected === undefined ? await readPin(path, baseUrl) : null;
    if (pin === null && pinFile !== undefined) throw noPinError(baseUrl, path);
    const bundled = loadBundledContract();
    const fromBundled = compareContracts(bundled.document, live.document);
    const sincePin = pin && compareContracts(pin.document, live.document);
    const compareHash = (hash: string) => (hash === live.hash ? "the same" : hash);
    const facts = {
      baseUrl,
      live: live.hash,
      etag: live.etag,
      bundled: bundled.hash,
      expected: expected ?? null,
      pinned: pin && { hash: pin.hash, pinnedAt: pin.pinnedAt },
    };
    return {
      kind: "record",
      json: { ...facts, fromBundled, sincePin },
      blocks: [
        {
          kind: "card",
          section: "contract",
          title: `The contract of ${baseUrl}`,
          record: facts,
          rows: [
            ["live", live.hash],
            ...(expected === undefined ? [] : ([["expected", compareHash(expected)]] as const)),
            ["pinned", pin ? compareHash(pin.hash) : "nothing: `claims contract pin`"],
            ["pinned at", pin?.pinnedAt ?? null],
            ["bundled", compareHash(bundled.hash)],
          ],
        },
        ...differenceTables("Since the pin", sincePin ?? []),
        ...differenceTables("From the contract of this version", fromBundled),
      ],
      failure:
        hashFailure(expected, live) ??
        (pin?.hash === live.hash ? undefined : sincePin && pinFailure(sincePin, pinFile)) ??
        // A mapping says how to read what the document of the service has otherwise.
        (service.mapping ? undefined : breakingFailure(fromBundled)),
    };
  },
});

const differenceTables = (title: string, differences: readonly Difference[]): Block[] =>
  differences.length > 0 ? [toTable({ title, columns: DIFFERENCE_COLUMNS, items: differences })] : [];

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw usageError("option_invalid", `${JSON.stringify(text)} is not the hash of a contract`, {
    hint: "give the 64 hex digits that `claims contract hash -q` prints",
  });
}

/** A cutover is validated against the hash of the deployment (interface §9.4). */
const hashFailure = (expected: string | undefined, live: LiveContract): ClaimsError | undefined =>
  expected === undefined || expected === live.hash
    ? undefined
    : verificationError("contract_changed", `the contract's hash is ${live.hash}, not ${expected}`, {
        hint: "see `claims contract diff FILE live` with the document of that hash",
      });

function pinFailure(differences: readonly Difference[], pinFile: string | undefined): ClaimsError {
  const option = pinFile === undefined ? "" : ` --pin-file ${quoteShellWord(pinFile)}`;
  return verificationError(
    "contract_changed",
    `the contract differs from the pinned one: ${countDifferences(differences)}`,
    { hint: `see \`claims contract diff pinned live${option}\`; pin the new contract if you accept it` },
  );
}

function breakingFailure(differences: readonly Difference[]): ClaimsError | undefined {
  const [first, ...others] = differences.filter(isBreaking);
  if (!first) return undefined;
  const more = others.length > 0 ? `, and ${others.length} more` : "";
  const where = [first.operation, first.location].filter(Boolean).join(" ");
  return verificationError(
    "contract_breaks",
    `the contract breaks this client: ${where}: ${first.message}${more}`,
    { hint: "see `claims contract diff`; a newer version of this program may support that contract" },
  );
}
