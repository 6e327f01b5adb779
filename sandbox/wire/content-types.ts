export const JSON_TYPE = "application/json; charset=utf-8";
export const NDJSON_TYPE = "application/x-ndjson; charset=utf-8";
/** RFC 9457 §3. */
export const PROBLEM_TYPE = "application/problem+json";
