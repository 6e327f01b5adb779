import { usageError } from "../src/domain/errors.ts";

/** Flags of Node under which a sandbox cannot run, with how each shows. */
const UNSUPPORTED_FLAGS = [
  // SQLite is WebAssembly.
  { flag: "--jitless", isSet: () => !("WebAssembly" in globalThis) },
  // A package of Koa compiles a function.
  { flag: "--disallow-code-generation-from-strings", isSet: () => !canCompile() },
  // A package of Koa replaces Error.prepareStackTrace.
  { flag: "--frozen-intrinsics", isSet: () => Object.isFrozen(Error) },
];

function canCompile(): boolean {
  try {
    Function("");
    return true;
  } catch {
    return false;
  }
}

/** @throws ClaimsError `node_flag` */
export function refuseNodeFlags(): void {
  const found = UNSUPPORTED_FLAGS.find(({ isSet }) => isSet());
  if (!found) return;
  throw usageError("node_flag", `the sandbox cannot run with ${found.flag} of Node`, {
    hint: "start Node without the flag, also in NODE_OPTIONS; or run `claims sandbox up` in another process",
  });
}
