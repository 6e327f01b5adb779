// The library: a typed client of the partner API, which the command line uses as well.
export type { AliasUse } from "./client/alias-use.ts";
export {
  type Answer,
  Client,
  type ClientOptions,
  type Input,
  type RawRequest,
  type StreamedAnswer,
} from "./client/client.ts";
export type { Credential } from "./client/credential.ts";
export { findJobId } from "./client/job-id.ts";
export type { MultipartInput, UploadFile } from "./client/multipart.ts";
export { AdaptiveLimiter as Pace } from "./client/pace.ts";
export type { ProxySettings } from "./client/proxy.ts";
export { DryRun as Rehearsal, type DryRunBody as RehearsedBody, type DryRunRequest as RehearsedRequest } from "./client/rehearsal.ts";
export type { RetryPolicy as Patience } from "./client/retry.ts";
export type { Runtime as Surroundings } from "./client/surroundings.ts";
export type { TokenCache } from "./client/token-cache.ts";
export { hashContract as contractHash } from "./contract/hash.ts";
export { OPERATIONS as operations } from "./contract/operations.ts";
export { ClaimsError, type ErrorKind } from "./domain/errors.ts";
