/** What was seen of the real service and the sandbox does not do. */
export interface NotImitated {
  /** An operation, or a field of the contract: `Job.state`. */
  readonly subject: string;
  readonly seen: string;
  readonly reason: string;
}

/** An assumption of the contract that the observed service contradicts. */
export interface ObservedDifference {
  /** The operation's id; `*` for the errors of all, `event` for deliveries. */
  readonly operation: string;
  /** The path of a field, or what else is assumed. */
  readonly subject: string;
  readonly seen: string;
}

/** The observed service whose form the sandbox has. */
export interface SandboxLike {
  /** When it was last seen, RFC 3339. */
  readonly observedAt: string;
  /** Whether it was compared with another version of the contract. */
  readonly isStale: boolean;
  readonly notImitated: readonly NotImitated[];
  /** The differences that the responses and deliveries so far could show. */
  readonly applied: readonly ObservedDifference[];
}
