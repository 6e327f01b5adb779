// `npm run fuzz [-- --minutes N --seed S --inputs COUNT --target NAME]`: gives every surface random and damaged input, and
// checks the invariants of test/fuzz/fuzz.ts. An input that breaks one goes to test/fuzz/corpus.
//
// Bundles the harness, because Node 20 cannot run TypeScript, and watches it: an input may hang or end its process.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "rolldown";
import { textFiles } from "../../build/text-files.js";

/** Far longer than any check may take. */
const MAX_CHECK_MS = 120_000;

// Below node_modules, so that packages resolve.
const bundle = resolve(`node_modules/.cache/claims-fuzz/${process.pid}.js`);
const folder = mkdtempSync(join(tmpdir(), "claims-fuzz-"));
const currentInputFile = join(folder, "current-input.json");

await build({
  input: resolve("test/fuzz/main.ts"),
  platform: "node",
  external: (/** @type {string} */ id) => /^[^./\0]/.test(id),
  plugins: [textFiles],
  output: { file: bundle, format: "esm", sourcemap: "inline", codeSplitting: false },
  logLevel: "warn",
});

const child = spawn(
  process.execPath,
  ["--enable-source-maps", "--max-old-space-size=1024", bundle, ...process.argv.slice(2)],
  {
    stdio: "inherit",
    // Everything that is written to the temporary folder or the home folder is below one folder.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      CLAIMS_CONFIG_DIR: join(folder, "config"),
      CLAIMS_FUZZ_CURRENT_INPUT: currentInputFile,
    },
  },
);
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"]))
  process.on(signal, () => child.kill(signal));

const watch = setInterval(() => {
  const changedAt = statSync(currentInputFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (Date.now() - changedAt < MAX_CHECK_MS) return;
  process.stderr.write("FAILURE: one check takes longer than two minutes\n");
  child.kill("SIGKILL");
}, 5_000);

child.once("exit", (code, signal) => {
  clearInterval(watch);
  // 0 and 1 are results of the harness; anything else ended the process itself.
  if (code !== 0 && code !== 1 && signal !== "SIGINT" && signal !== "SIGTERM")
    process.stderr.write(
      `FAILURE: the process ended with ${code ?? signal}. Save this input in test/fuzz/corpus:\n${readFileSync(currentInputFile, "utf8")}\n`,
    );
  rmSync(bundle, { force: true });
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
