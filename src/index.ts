// The library: a typed client of the partner API, which the command line uses as well.

export type { TokenCache } from "./client/auth/access-tokens.ts";
export type { Credential } from "./client/auth/credential.ts";
export { Client } from "./client/client.ts";
export type { AliasUse, ClientOptions } from "./client/client-options.ts";
export { DryRun, type DryRunBody, type DryRunRequest } from "./client/dry-run.ts";
export { AdaptiveLimiter } from "./client/http/limiter.ts";
export type { MultipartInput, UploadFile } from "./client/http/multipart.ts";
export type { ProxySettings } from "./client/http/proxy.ts";
export type { ApiResponse, StreamingResponse } from "./client/http/response.ts";
export type { RetryPolicy } from "./client/http/retry.ts";
export { findJobId } from "./client/job-id.ts";
export type { Page } from "./client/paging.ts";
export type { OperationInput, RawRequest } from "./client/request.ts";
export type { Runtime } from "./client/runtime.ts";
export { hashContract } from "./contract/hash.ts";
export type { ResponseOf } from "./contract/operations/operation.ts";
export { OPERATIONS as operations } from "./contract/operations/operations.ts";
export type { ErrorKind } from "./domain/error-codes.ts";
export { ClaimsError } from "./domain/errors.ts";
