import type { PublishedContract } from "../../src/contract/hash.ts";
import type { ServiceForm } from "../../src/contract/service-form/service-form.ts";
import type { SandboxLike } from "../api/like.ts";
import type { ServiceVariant } from "./grease/service-variant.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** The service that a sandbox plays: its own, a varied one, or one with the form of a real service. */
export interface PlayedService {
  readonly form: ServiceForm | null;
  readonly variant: ServiceVariant;
  /** Null where responses are those of the contract. */
  readonly writer: ResponseWriter | null;
  /** The document that the service publishes, built at first use. */
  getContract(): PublishedContract;
  /** Null for a service without a file of its form. */
  readonly like: SandboxLike | null;
}
