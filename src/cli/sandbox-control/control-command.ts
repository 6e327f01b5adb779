import { DEFAULT_SANDBOX } from "../connection/locator.ts";
import type { Context } from "../context.ts";
import { type ArgumentSpec, type CommandSpec, command, type Invocation } from "../framework/command.ts";
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
  const S extends OptionSpecs,
  const A extends readonly ArgumentSpec[] = readonly [],
>({
  run,
  ...spec
}: ControlCommandSpec<S, A>) =>
  command<S & typeof sandboxNameOption, A>({
    ...spec,
    remote: false,
    options: { ...sandboxNameOption, ...spec.options },
    run: async (context, invocation) => {
      const { name } = invocation.options as { readonly name?: string };
      return run(await requireControl(context, name), invocation as unknown as Invocation<S, A>, context);
    },
  });
