import type { Context } from "../context.ts";
import type { Output } from "../output/output.ts";
import type { GlobalOptions } from "./global-options.ts";

/** One option. With `value` it takes a value of that name; otherwise it is a switch. */
export interface OptionSpec {
  readonly help: string;
  /** The kind of thing it is: completion goes by it, see `completion/values.ts`. */
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  /** Turns the text into what the command works with; throws `ClaimsError` with kind `usage`. */
  readonly parse?: (text: string) => unknown;
  readonly required?: boolean;
  /** May be given several times; the value is then a list. */
  readonly repeats?: boolean;
}

/** One positional argument. */
export interface ArgumentSpec {
  /** The kind of thing it is, as for the value of an option. */
  readonly name: string;
  readonly help: string;
  readonly choices?: readonly string[];
  readonly isOptional?: boolean;
  /** Takes all that follow. */
  readonly isVariadic?: boolean;
  /** Takes what looks like an option too: somebody else's command line. */
  readonly isPassThrough?: boolean;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type SingleValue<O extends OptionSpec> = O extends { parse: (text: string) => infer T }
  ? T
  : O extends { choices: readonly (infer C)[] }
    ? C
    : O extends { value: string }
      ? string
      : boolean;

type OptionValue<O extends OptionSpec> = O extends { repeats: true }
  ? readonly SingleValue<O>[]
  : SingleValue<O>;

/** `no-color` is the opposite of `color` and told as `color: false`; `noInput` is a switch of its own. */
type OptionKey<Name> = Name extends `no-${infer Rest}` ? Rest : Name;

export type OptionValues<S extends OptionSpecs> = {
  readonly [Name in keyof S as OptionKey<Name>]: S[Name] extends { required: true }
    ? OptionValue<S[Name]>
    : OptionValue<S[Name]> | undefined;
};

type ArgumentValue<A extends ArgumentSpec> = A extends { choices: readonly (infer C)[] } ? C : string;

type ArgumentValues<A extends readonly ArgumentSpec[]> = {
  readonly [Spec in A[number] as Spec["name"]]: Spec extends { isVariadic: true }
    ? readonly ArgumentValue<Spec>[]
    : Spec extends { isOptional: true }
      ? ArgumentValue<Spec> | undefined
      : ArgumentValue<Spec>;
};

/** What a command is asked to do. */
export interface Invocation<
  S extends OptionSpecs = OptionSpecs,
  A extends readonly ArgumentSpec[] = readonly ArgumentSpec[],
> {
  readonly args: ArgumentValues<A>;
  readonly options: OptionValues<S>;
  readonly global: GlobalOptions;
  /** Milliseconds; undefined where `--timeout` is about a job, or is not given. */
  readonly requestTimeout: number | undefined;
  /** Work for when the answer has been printed, such as closing connections; the latest first. */
  onEnd(cleanup: () => Promise<void>): void;
}

/** The part of an invocation that every command has alike: all it takes to open a service. */
export type BaseInvocation = Pick<Invocation, "global" | "onEnd" | "requestTimeout">;

/**
 * What comes out on stdout: a record with an id of its own, a list of them, a document without one, bytes in no format
 * of ours, or nothing that could be saved. It decides which formats the command offers.
 */
export type OutputKind = "record" | "list" | "document" | "bytes" | "nothing";

/** One command: declared as a plain record, run with the context. */
export interface CommandSpec<
  S extends OptionSpecs = OptionSpecs,
  A extends readonly ArgumentSpec[] = readonly ArgumentSpec[],
> {
  readonly name: string;
  readonly summary: string;
  /** Whether it talks to the service, and so takes `--base-url` and its companions; a write may have to be confirmed. */
  readonly remote: false | "reads" | "writes";
  /** Whether it waits for a job, and so takes `--timeout`. */
  readonly waitsForJob?: boolean;
  /** Whether it may ask a question without being a write. */
  readonly canPrompt?: boolean;
  readonly output: OutputKind;
  readonly arguments?: A;
  readonly options: S;
  readonly examples: readonly string[];
  readonly run: (context: Context, invocation: Invocation<S, A>) => Promise<Output>;
}

/** Only infers the types of options and arguments. */
export const command = <const S extends OptionSpecs, const A extends readonly ArgumentSpec[] = readonly []>(
  spec: CommandSpec<S, A>,
): CommandSpec<S, A> => spec;

/** A command whose option types are forgotten: what the program registers. */
export type AnyCommand = Omit<CommandSpec, "run"> & {
  readonly run: (
    context: Context,
    invocation: BaseInvocation & { readonly args: never; readonly options: never },
  ) => Promise<Output>;
};
