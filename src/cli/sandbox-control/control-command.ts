import type { Context } from "../context.ts";
import type { AnyCommand, ArgumentSpec, CommandSpec, Invocation } from "../framework/command.ts";
import { type OptionSpecs, sandboxNameOption } from "../framework/options.ts";
import type { Output } from "../output/output.ts";
import { type ControlClient, requireControl } from "./control.ts";

type ControlCommandSpec<S extends OptionSpecs, A extends readonly ArgumentSpec[]> = Omit<
  CommandSpec<S, A>,
  "remote" | "run"
> & {
  readonly run: (context: Context, invocation: Invocation<S, A>, control: ControlClient) => Promise<Output>;
};

/** A command that calls the control API of the sandbox that `--sandbox-name` or the environment names. */
export const defineControlCommand = <
  const S extends OptionSpecs = Record<never, never>,
  const A extends readonly ArgumentSpec[] = readonly [],
>({
  run,
  ...spec
}: ControlCommandSpec<S, A>): AnyCommand => ({
  ...spec,
  options: { ...sandboxNameOption, ...spec.options },
  run: async (context, invocation: Invocation<S, A>) =>
    run(context, invocation, await requireControl(context, invocation.global)),
});
