// Each script asks `claims __complete`, which prints a candidate and its description a line, and `:files` or `:folders` where
// the shell completes paths. What fits where is decided in complete.ts.
import bash from "./claims.bash?text";
import fish from "./claims.fish?text";
import zsh from "./claims.zsh?text";

export const SCRIPTS = { bash, zsh, fish } as const;
