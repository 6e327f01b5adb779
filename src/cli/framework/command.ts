import type { Operation } from "../../contract/operations/operation.ts";
import type { OPERATIONS } from "../../contract/operations/operations.ts";
import type { Context } from "../context.ts";
import type { Output } from "../output/output.ts";
import type { CommandTraits, GlobalOptions, OptionSpecs, OptionValues } from "./options.ts";

export interface ArgumentSpec {
  /** The kind of argument, as for the value of an option. */
  readonly name: string;
  readonly help: string;
  /** The value of an optional argument that is not given, in words. */
  readonly default?: string | number;
  readonly choices?: readonly string[];
  readonly isOptional?: boolean;
  readonly isVariadic?: boolean;
  /** Takes words that look like options too: the command line of a child process. */
  readonly isPassThrough?: boolean;
}

/** `file` → `<file>`, `[file]` if it is optional, `<file...>` if it takes all remaining words */
export function formatArgument({ name, isOptional, isVariadic }: ArgumentSpec): string {
  const text = isVariadic ? `${name}...` : name;
  return isOptional ? `[${text}]` : `<${text}>`;
}

type ArgumentValue<A extends ArgumentSpec> = A extends { choices: readonly (infer C)[] } ? C : string;

type ArgumentValues<A extends readonly ArgumentSpec[]> = {
  readonly [Spec in A[number] as Spec["name"]]: Spec extends { isVariadic: true }
    ? readonly ArgumentValue<Spec>[]
    : Spec extends { isOptional: true }
      ? ArgumentValue<Spec> | undefined
      : ArgumentValue<Spec>;
};

/** The part of an invocation that all commands have: what opening a service takes. */
export interface BaseInvocation extends Pick<CommandTraits, "remote"> {
  readonly global: GlobalOptions;
  /** Milliseconds; undefined if `--timeout` limits the wait for a job, or is absent. */
  readonly requestTimeout: number | undefined;
  /** Registers work for after the output, such as closing connections. The last one registered runs first. */
  onEnd(cleanup: () => Promise<void>): void;
}

export interface Invocation<
  S extends OptionSpecs = OptionSpecs,
  A extends readonly ArgumentSpec[] = readonly ArgumentSpec[],
> extends BaseInvocation {
  readonly args: ArgumentValues<A>;
  readonly options: OptionValues<S>;
}

export interface CommandSpec<
  S extends OptionSpecs = OptionSpecs,
  A extends readonly ArgumentSpec[] = readonly ArgumentSpec[],
> extends CommandTraits {
  readonly name: string;
  readonly summary: string;
  /** The operation whose unchanged response `--json` prints, for one id and without `--wait`. */
  readonly operation?: (operations: typeof OPERATIONS) => Operation;
  /** Whether a second run continues the first, and writes nothing twice. */
  readonly continues?: boolean;
  /** What `--json` prints otherwise: a document of `cli/documents`, or the response of an operation of the control API. */
  readonly prints?: string;
  readonly arguments?: A;
  readonly options?: S & OptionSpecs;
  readonly examples: readonly string[];
  readonly run: (context: Context, invocation: Invocation<S, A>) => Promise<Output>;
}

export const command = <
  const S extends OptionSpecs = Record<never, never>,
  const A extends readonly ArgumentSpec[] = readonly [],
>(
  spec: CommandSpec<S, A>,
): CommandSpec<S, A> => spec;

/** A command without the types of its options: what the program registers. */
export type AnyCommand = Omit<CommandSpec, "run"> & {
  readonly run: (
    context: Context,
    invocation: BaseInvocation & { readonly args: never; readonly options: never },
  ) => Promise<Output>;
};
