interface ColourSettings {
  readonly flag: boolean | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** Decides the colour of a stream, in the order of product.md §3. */
export function shouldUseColour({ flag, env, isTerminal }: ColourSettings): boolean {
  if (flag !== undefined) return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  if (env.CLICOLOR_FORCE) return env.CLICOLOR_FORCE !== "0";
  if (env.TERM === "dumb" || env.CLICOLOR === "0") return false;
  return isTerminal;
}
