import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

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
    setupFiles: ["test/helpers/setup.ts"],
    isolate: false,
    // Most of the time a test waits for a process of its own: two at once also where vitest would run one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: process.env.CI ? ["default", ["json", { outputFile: "test-results.json" }]] : ["default"],
  },
});
