/** Interface §2, §3. */
export const DELIVERY_STATES = ["queued", "delivered", "retrying", "failed"] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Why an attempt failed (product.md §5). */
export const ATTEMPT_FAILURES = [
  "dns_error",
  "connection_refused",
  "connection_reset",
  "timeout",
  "tls_error",
  "redirect",
  "http_status",
  "address_blocked",
  "network_error",
] as const;
