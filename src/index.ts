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
export { Pace } from "./client/pace.ts";
export type { ProxySettings } from "./client/proxy.ts";
export { Rehearsal, type RehearsedBody, type RehearsedRequest } from "./client/rehearsal.ts";
export type { Patience } from "./client/retry.ts";
export type { Surroundings } from "./client/surroundings.ts";
export type { TokenCache } from "./client/token-cache.ts";
export { contractHash } from "./contract/hash.ts";
export { OPERATIONS as operations } from "./contract/operations.ts";
export { ClaimsError, type ErrorKind } from "./domain/errors.ts";
