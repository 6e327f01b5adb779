// Each script asks `claims __complete`, which prints a candidate and its description a line, and `:files` or `:folders` where
// the shell completes paths. What fits where is decided in complete.ts.
import bash from "./claims.bash";
import fish from "./claims.fish";
import zsh from "./claims.zsh";

export const SCRIPTS = { bash, zsh, fish } as const;
