// The aim of each figure. Most aims bound a ratio to a floor of the same run, so that they do not depend on the machine.

/** @typedef {import("./figure.js").Aim} Aim */

const [nodeMajor = 20] = process.versions.node.split(".").map(Number);

export const AIMS = /** @satisfies {Record<string, Aim>} */ ({
  version: { most: 1.35 },
  help: { most: 1.6 },
  offlineCommand: { most: 2 },
  // Since Node 22, undici's WebAssembly parser compiles faster.
  apiCommand: { most: nodeMajor < 22 ? 5 : 3.5 },
  sandboxReady: { most: 4.5 },
  firstSandbox: { mostValue: 150 },
  nextSandbox: { mostValue: 10 },
  reset: { mostValue: 2 },
  requestLog: { least: 0.85 },
  idleRule: { least: 0.95 },
  flatMemory: { most: 1.1 },
  inspectorPage: { mostValue: 100 },
  inspectorRefresh: { mostValue: 5 },
  getOne: { least: 0.3 },
  upload: { least: 0.85 },
  uploadClientMemory: { mostValue: 140 },
  uploadServerMemory: { mostValue: 130 },
  deliveries: { least: 0.45 },
  deliveryLatency: { mostValue: 50 },
  deliveryPage: { least: 0.8 },
  verify: { least: 0.65 },
  explainOneKilobyte: { mostValue: 50 },
  explainTwentyKilobytes: { mostValue: 150 },
  explainOneMegabyte: { mostValue: 1_000 },
  triageIncidents: { mostValue: 30_000 },
  triageUnexplained: { mostValue: 150_000 },
  triageMemory: { most: 1.1 },
  check: { most: 2.5 },
  // The file is read twice, and a third of it is written.
  rejectedRows: { most: 3 },
  rejectedRowsMemory: { mostValue: 300 },
  datasetMemory: { mostValue: 140 },
  sortMemory: { mostValue: 350 },
  submitToReport: { most: 1.7 },
  othersMeanwhile: { mostValue: 50 },
});
