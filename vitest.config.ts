import { readFileSync } from "node:fs";
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
    testTimeout: 30_000,
    hookTimeout: 30_000,
    reporters: process.env.CI ? ["default", ["json", { outputFile: "test-results.json" }]] : ["default"],
  },
});
