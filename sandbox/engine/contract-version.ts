import { hashContract, toCanonicalJson } from "../../src/contract/hash.ts";
import type { PublishedContract } from "./imitation/contract-imitation.ts";
import type { ServiceForm } from "./service-form.ts";

/**
 * The form with a contract that has another `info.version`, and so another hash, for as long as the host names one. What a
 * service changes in its contract is not known (interface §9.5); the operations stay the same.
 */
export function publishVersions(form: ServiceForm, readVersion: () => string | undefined): ServiceForm {
  const contracts = new Map<string, PublishedContract>();
  return {
    ...form,
    getContract() {
      const version = readVersion();
      const original = form.getContract();
      if (version === undefined) return original;
      const contract = contracts.get(version) ?? withVersion(original, version);
      contracts.clear();
      contracts.set(version, contract);
      return contract;
    },
  };
}

function withVersion({ canonicalJson }: PublishedContract, version: string): PublishedContract {
  const document = JSON.parse(canonicalJson);
  document.info.version = version;
  return { canonicalJson: toCanonicalJson(document), hash: hashContract(document) };
}
