import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startGuard } from "../../../../../../../src/cli/commands/sandbox/exec/child.ts";
import { createContext } from "../../../../../../../src/cli/main.ts";
import { bareEnvironment, PROGRAM, ROOT, temporaryFolder } from "../../../../../../support/cli.ts";

it.runIf(existsSync("/proc/self/environ"))(
  "the exec guard ends a command even if its own input closes before it receives the PID",
  async () => {
    const context = createContext({
      ...PROGRAM,
      cwd: ROOT,
      signal: new AbortController().signal,
    });
    const folder = temporaryFolder();
    const start = (path: string) =>
      context.start({
        command: "sleep",
        args: ["60"],
        env: { ...bareEnvironment(), PATH: `${path}:${bareEnvironment().PATH}` },
        mode: { kind: "inherit" },
      });
    const guard = startGuard(context, folder);
    guard.watchPath();
    const guarded = start(join(folder, "bin"));
    const other = start("/elsewhere");
    await guard.end();
    expect(await guarded.ended).toEqual({ signal: "SIGTERM" });
    expect(existsSync(folder)).toBe(false);
    other.kill("SIGKILL");
    expect(await other.ended).toEqual({ signal: "SIGKILL" });
  },
);
