/** The fields of a logged request that most requests do not have. */
export interface NotedRequest {
  readonly outcome: "answered" | "aborted" | "lost" | "running";
  readonly fault: string | null;
  readonly alias: { readonly canonicalPath: string } | null;
  readonly idempotentReplay: boolean;
  readonly varied: readonly string[];
}

/** Describes what distinguishes a logged request from most others. Empty for an ordinary request. */
export const describeRequestNotes = (request: NotedRequest): string[] =>
  [
    request.outcome === "answered" ? "" : request.outcome,
    request.fault === null ? "" : `fault: ${request.fault}`,
    request.idempotentReplay ? "stored response" : "",
    request.alias ? `alias of ${request.alias.canonicalPath}` : "",
    request.varied.length === 0 ? "" : `greased: ${request.varied.join(" ")}`,
  ].filter((note) => note !== "");
