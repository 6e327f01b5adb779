import type { PublishedContract } from "../../src/contract/hash.ts";
import type { SandboxLike } from "../api/like.ts";
import type { ServiceVariant } from "./grease/service-variant.ts";
import type { RequestNames } from "./imitation/request-names.ts";
import type { ResponseRewriter } from "./response-rewriter.ts";

/** The service that a sandbox plays: its own, a varied one, or one that was observed. */
export interface ServiceForm {
  readonly variant: ServiceVariant;
  /** Null where responses are those of the contract. */
  readonly rewriter: ResponseRewriter | null;
  /** Null where requests are those of the contract. */
  readonly requestNames: RequestNames | null;
  /** The document that the service publishes, built at first use. */
  getContract(): PublishedContract;
  /** Null for a service that was not observed. */
  readonly like: SandboxLike | null;
}
