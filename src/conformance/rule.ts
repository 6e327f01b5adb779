import type { GreaseDimension } from "../contract/grease.ts";
import type { OpenStatementId, StatementId } from "../contract/statements.ts";
import type { ScenarioId } from "./scenarios.ts";
import type { Trial } from "./trial.ts";

/** What a rule rests on: a statement of the interface, an assumption of the contract, or good practice. */
export type RuleBasis = "documented" | "assumed" | "advice";

/** `untouched`: nothing occurred that the rule is about. */
export type Verdict = "pass" | "fail" | "untouched";

export interface Judgement {
  readonly verdict: Verdict;
  /** What was seen, for a failure; why it decides nothing, for some of what is untouched; otherwise empty. */
  readonly evidence: string;
  readonly requests: readonly number[];
}

export interface Rule {
  /** For example `submit.lost_answer`. */
  readonly id: string;
  readonly basis: RuleBasis;
  /** The statement of the interface that it rests on, or that leaves it open; null for advice without one. */
  readonly statement: StatementId | OpenStatementId | null;
  /** Completes "the program …": "sends the credential as Bearer". */
  readonly title: string;
  /** What to change, in the imperative. */
  readonly fix: string;
  /** The scenarios that can touch it; `any` for all traffic. */
  readonly scenarios: readonly ScenarioId[] | "any";
  /** Of a rule about any traffic: the scenarios that show most. */
  readonly shownBy?: readonly ScenarioId[];
  readonly grease?: GreaseDimension;
  /** Whether the end of the program in its scenarios is a part of the rule. */
  readonly judgesEnd?: true;
  readonly judge: (trial: Trial) => Judgement;
}

export const documented = (statement: StatementId) => ({ basis: "documented", statement }) as const;
export const assumed = (statement: OpenStatementId) => ({ basis: "assumed", statement }) as const;
export const advice = (statement: StatementId | OpenStatementId | null) =>
  ({ basis: "advice", statement }) as const;
