// One sandbox for all workers of a vitest run: `globalSetup` in vitest.config.ts. A test file
// that changes the clock, faults or webhooks should start its own, which takes some milliseconds (partner.test.ts).
import { type SandboxCredentials, startSandbox } from "claims-toolkit/sandbox";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    readonly url: string;
    readonly credentials: SandboxCredentials;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const sandbox = await startSandbox({ frozenAt: "2026-11-20T00:00:00Z" });
  project.provide("url", sandbox.url);
  project.provide("credentials", sandbox.credentials);
  // In watch mode, every run starts with a new sandbox state.
  project.onTestsRerun(() => sandbox.reset());
  return () => sandbox.close();
}
