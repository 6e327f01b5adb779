/** What the real service does and the sandbox does not. */
export interface NotImitated {
  /** An operation, or a field of the contract: `Job.state`. */
  readonly subject: string;
  readonly seen: string;
  readonly reason: string;
}

/** What the service does otherwise than the contract, and so the sandbox. */
export interface FormDifference {
  /** The operation's id; `*` for the errors of all. */
  readonly operation: string;
  /** The path of a field, or what else its form says. */
  readonly subject: string;
  readonly seen: string;
}

/** The service whose form the sandbox has. */
export interface SandboxLike {
  /** When it was last seen, RFC 3339; null for a form that a person wrote. */
  readonly observedAt: string | null;
  /** Whether it was compared with another version of the contract. */
  readonly isStale: boolean;
  readonly notImitated: readonly NotImitated[];
  /** The differences that the responses so far could show. */
  readonly applied: readonly FormDifference[];
}
