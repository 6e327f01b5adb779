import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { textFiles } from "./build/text-files.js";

// Runs in the same folder keep separate reports.
const { CI, CLAIMS_TEST_REPORT: outputFile = "test-results.json" } = process.env;

export default defineConfig({
  plugins: [{ ...textFiles, enforce: "pre" }],
  test: {
    include: ["test/**/*.test.ts"],
    // Node 20 would parse such a file at the start of each process, which takes as long as the start itself.
    env: { NODE_EXTRA_CA_CERTS: "" },
    globalSetup: ["test/support/run-folder.ts"],
    setupFiles: ["test/support/setup.ts"],
    isolate: false,
    // A run begins with the modules that the run before has transformed.
    experimental: { fsModuleCache: true },
    tags: [
      {
        name: "large",
        description: "large inputs, many clients or samples, kills: in .ci/run, not in npm test",
      },
    ],
    // Tests wait for timers and processes more than they compute: two workers more than cores keep them busy.
    maxWorkers: availableParallelism() + 2,
    // Limits for a hang, not measurements: a loaded machine must not fail a test.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 5 } },
    reporters: CI ? ["default", ["json", { outputFile }]] : ["default"],
  },
});
