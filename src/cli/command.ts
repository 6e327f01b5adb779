import type { Context } from "./context.ts";
import type { Output } from "./output/output.ts";

/** One option. With `value` it takes a value of that name; otherwise it is a switch. */
export interface OptionSpec {
  readonly help: string;
  readonly value?: string;
  readonly short?: string;
  readonly choices?: readonly string[];
  /** Turns the text into what the command works with; throws `ClaimsError` with kind `usage`. */
  readonly parse?: (text: string) => unknown;
  readonly required?: boolean;
}

/** One positional argument; `rest` takes all that follow. */
export interface ArgumentSpec {
  readonly name: string;
  readonly help: string;
  readonly rest?: boolean;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type ValueOf<O extends OptionSpec> = O extends { parse: (text: string) => infer T }
  ? T
  : O extends { choices: readonly (infer C)[] }
    ? C
    : O extends { value: string }
      ? string
      : boolean;

export type OptionValues<S extends OptionSpecs> = {
  readonly [Name in keyof S]: S[Name] extends { required: true }
    ? ValueOf<S[Name]>
    : ValueOf<S[Name]> | undefined;
};

/** What a command is asked to do, besides its own options. */
export interface Invocation<S extends OptionSpecs> {
  readonly args: readonly string[];
  readonly options: OptionValues<S>;
  readonly global: GlobalOptions;
  /** Work for when the answer has been printed, such as closing connections; the latest first. */
  onEnd(cleanup: () => Promise<void>): void;
}

/** Options that every command has, or every command that talks to the service. */
export interface GlobalOptions {
  readonly json: boolean;
  readonly out: string | undefined;
  readonly baseUrl: string | undefined;
  readonly environment: "sandbox" | "production" | undefined;
  /** Milliseconds. */
  readonly timeout: number | undefined;
  readonly caFile: string | undefined;
  readonly sandbox: boolean;
  readonly input: boolean;
  readonly yes: boolean;
  readonly verbose: boolean;
  readonly color: boolean | undefined;
}

/** One command: declared as a plain record, run with the context. */
export interface CommandSpec<S extends OptionSpecs = OptionSpecs> {
  readonly name: string;
  readonly summary: string;
  /** Whether it talks to the service, and so takes `--base-url` and its companions; a write may have to be confirmed. */
  readonly remote: false | "reads" | "writes";
  /** Whether it waits for a job, and so takes `--timeout`. */
  readonly waits?: boolean;
  /** False where there is no answer that `--out` could save. */
  readonly saves?: boolean;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options: S;
  readonly examples: readonly string[];
  readonly run: (context: Context, invocation: Invocation<S>) => Promise<Output>;
}

/** Only infers the option types. */
export const command = <const S extends OptionSpecs>(spec: CommandSpec<S>): CommandSpec<S> => spec;

/** A command whose option types are forgotten: what the program registers. */
export type AnyCommand = Omit<CommandSpec, "run"> & {
  readonly run: (context: Context, invocation: Invocation<never>) => Promise<Output>;
};
