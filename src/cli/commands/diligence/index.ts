import type { AnyCommand } from "../../framework/command.ts";

/** In the order of the help. */
const LOADERS: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  submit: async () => (await import("./submit.ts")).submit,
  status: async () => (await import("./status.ts")).status,
  wait: async () => (await import("./wait.ts")).wait,
  report: async () => (await import("./report.ts")).report,
  dataset: async () => (await import("./dataset/dataset.ts")).dataset,
  deadlines: async () => (await import("./deadlines/deadlines.ts")).deadlines,
  resume: async () => (await import("./resume.ts")).resume,
  batch: async () => (await import("./batch/batch.ts")).batch,
  history: async () => (await import("./history.ts")).history,
  check: async () => (await import("./check.ts")).check,
  template: async () => (await import("./template.ts")).template,
  pull: async () => (await import("./pull.ts")).pull,
};

/** Loads the verb alone, because the code of all of them takes a fifth of a command; without a known verb, all. */
export async function loadCommands(verb = ""): Promise<{ readonly commands: readonly AnyCommand[] }> {
  const own = Object.hasOwn(LOADERS, verb) ? LOADERS[verb] : undefined;
  const loaders = own ? [own] : Object.values(LOADERS);
  return { commands: await Promise.all(loaders.map((load) => load())) };
}
