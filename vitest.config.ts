import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// A run under grease has a report of its own.
const { CI, CLAIMS_TEST_GREASE_SEED: seed } = process.env;
const outputFile = seed ? `test-results-grease-${seed}.json` : "test-results.json";

export default defineConfig({
  plugins: [
    {
      // What esbuild's text loader does for the bundle.
      name: "sql-as-text",
      load(id) {
        return id.endsWith(".sql") ? `export default ${JSON.stringify(readFileSync(id, "utf8"))}` : null;
      },
    },
  ],
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/setup.ts"],
    isolate: false,
    // Most of the time a test waits for a process of its own: two at once also where vitest would run one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: CI ? ["default", ["json", { outputFile }]] : ["default"],
  },
});
