import { type PublishedContract, publishContract } from "../../src/contract/hash.ts";
import type { PlayedService } from "./played-service.ts";

/** The service with another `info.version` in its contract (interface §9.5), and so another hash, while the host names one. */
export function publishVersions(played: PlayedService, readVersion: () => string | undefined): PlayedService {
  let latest: { readonly version: string; readonly contract: PublishedContract } | undefined;
  return {
    ...played,
    getContract() {
      const version = readVersion();
      const original = played.getContract();
      if (version === undefined) return original;
      if (latest?.version !== version) latest = { version, contract: withVersion(original, version) };
      return latest.contract;
    },
  };
}

function withVersion({ canonicalJson }: PublishedContract, version: string): PublishedContract {
  const document = JSON.parse(canonicalJson);
  document.info.version = version;
  return publishContract(document);
}
