import type { Context } from "../context.ts";
import type { AnyCommand, ArgumentSpec, CommandSpec, Invocation } from "../framework/command.ts";
import { type OptionSpecs, sandboxNameOption } from "../framework/options.ts";
import type { Output } from "../output/output.ts";
import { type ControlClient, requireControl } from "./control.ts";

type ControlCommandSpec<S extends OptionSpecs, A extends readonly ArgumentSpec[]> = Omit<
  CommandSpec<S, A>,
  "remote" | "run"
> & {
  readonly run: (control: ControlClient, invocation: Invocation<S, A>, context: Context) => Promise<Output>;
};

export const controlCommand = <
  const S extends OptionSpecs = Record<never, never>,
  const A extends readonly ArgumentSpec[] = readonly [],
>({
  run,
  ...spec
}: ControlCommandSpec<S, A>): AnyCommand => ({
  ...spec,
  options: { ...sandboxNameOption, ...spec.options },
  run: async (context, call: Invocation<S, A>) =>
    run(await requireControl(context, call.global), call, context),
});
