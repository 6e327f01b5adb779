import { type PublishedContract, toPublishedContract } from "../../../src/contract/hash.ts";
import type { Mapping } from "../../../src/contract/mapping/mapping.ts";
import type { DeliveryEncoder } from "./delivery-encoder.ts";
import type { GreaseVariants } from "./grease/variants.ts";
import type { ResponseEncoder } from "./response-encoder.ts";

/** The service that a sandbox simulates: its own, a varied one, or a real one by its mapping. */
export interface SimulatedService {
  /** Where the service keeps what the contract describes; of grease, too. Null for the contract's own places. */
  readonly mapping: Mapping | null;
  /** The mapping that the user gave, if any; grease makes its own. */
  readonly givenMapping: Mapping | null;
  /** What grease varies. */
  readonly variants: GreaseVariants;
  /** The variants that a response or a delivery had, as `dimension=variant`. */
  readonly usedVariants: Set<string>;
  readonly deliveryEncoder: DeliveryEncoder;
  /** Null where responses are those of the contract. */
  readonly responseEncoder: ResponseEncoder | null;
  /** The document that the service publishes, built at first use. */
  getContract(): PublishedContract;
}

/** The service with another `info.version` in its contract (interface §9.5), and so another hash, while the host names one. */
export function publishVersions(
  service: SimulatedService,
  readVersion: () => string | undefined,
): SimulatedService {
  let latest: { readonly version: string; readonly contract: PublishedContract } | undefined;
  return {
    ...service,
    getContract() {
      const version = readVersion();
      const original = service.getContract();
      if (version === undefined) return original;
      if (latest?.version !== version) latest = { version, contract: withVersion(original, version) };
      return latest.contract;
    },
  };
}

function withVersion({ canonicalJson }: PublishedContract, version: string): PublishedContract {
  const document = JSON.parse(canonicalJson);
  document.info.version = version;
  return toPublishedContract(document);
}
