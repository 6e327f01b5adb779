// The library: a typed client of the partner API, which the command line uses as well.
export type { AliasUse } from "./client/alias-use.ts";
export {
  type ApiResponse,
  Client,
  type ClientOptions,
  type OperationInput,
  type RawRequest,
  type StreamingResponse,
} from "./client/client.ts";
export type { Credential } from "./client/credential.ts";
export { findJobId } from "./client/job-id.ts";
export type { MultipartInput, UploadFile } from "./client/multipart.ts";
export { AdaptiveLimiter } from "./client/pace.ts";
export type { ProxySettings } from "./client/proxy.ts";
export { DryRun, type DryRunBody, type DryRunRequest } from "./client/rehearsal.ts";
export type { RetryPolicy } from "./client/retry.ts";
export type { Runtime } from "./client/surroundings.ts";
export type { TokenCache } from "./client/token-cache.ts";
export { hashContract } from "./contract/hash.ts";
export { OPERATIONS as operations } from "./contract/operations.ts";
export { ClaimsError, type ErrorKind } from "./domain/errors.ts";
