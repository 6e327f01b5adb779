import { DEFAULT_SANDBOX } from "../connection/locator.ts";
import type { Context } from "../context.ts";
import type { AnyCommand, ArgumentSpec, CommandSpec, Invocation } from "../framework/command.ts";
import type { OptionSpecs } from "../framework/options.ts";
import { parseName } from "../framework/values.ts";
import type { Output } from "../output/output.ts";
import { type ControlClient, requireControl } from "./control.ts";

export const sandboxNameOption = {
  name: {
    value: "sandbox",
    parse: (text) => parseName(text, "a sandbox"),
    help: "name of the sandbox",
    default: DEFAULT_SANDBOX,
  },
} as const satisfies OptionSpecs;

type ControlCommandSpec<S extends OptionSpecs, A extends readonly ArgumentSpec[]> = Omit<
  CommandSpec<S, A>,
  "remote" | "run"
> & {
  readonly run: (control: ControlClient, invocation: Invocation<S, A>, context: Context) => Promise<Output>;
};

/** Declares a command for the control API of a running sandbox, which `--name` selects. */
export const controlCommand = <
  const S extends OptionSpecs = Record<never, never>,
  const A extends readonly ArgumentSpec[] = readonly [],
>({
  run,
  ...spec
}: ControlCommandSpec<S, A>): AnyCommand => ({
  ...spec,
  options: { ...sandboxNameOption, ...spec.options },
  run: async (context, call: Invocation<S, A>) => {
    const { name } = call.options as { readonly name?: string };
    return run(await requireControl(context, name), call, context);
  },
});
