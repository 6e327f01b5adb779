// The aim of each figure. Most aims bound a ratio to a floor of the same run, so that they do not depend on the machine.

/** @typedef {import("./figure.js").Aim} Aim */

/** Of the one file, against `node -e 0`, and for the sandbox against the one with Node. */
export const AIMS_OF_ONE_FILE = /** @satisfies {Record<string, Aim>} */ ({
  version: { most: 0.8 },
  help: { most: 0.8 },
  offlineCommand: { most: 1.8 },
  apiCommand: { most: 2.3 },
  sandboxReady: { most: 0.75 },
});

/** Against `node -e 0` of that Node. */
export const AIMS_OF_NEWER_NODE = /** @satisfies {Record<string, Aim>} */ ({
  version: { most: 1.1 },
  help: { most: 1.7 },
  offlineCommand: { most: 3 },
  apiCommand: { most: 3.6 },
});

export const AIMS = /** @satisfies {Record<string, Aim>} */ ({
  version: { most: 1.1 },
  help: { most: 1.85 },
  offlineCommand: { most: 3.2 },
  apiCommand: { most: 4.2 },
  sandboxReady: { most: 5.2 },
  firstSandbox: { mostValue: 150 },
  nextSandbox: { mostValue: 10 },
  reset: { mostValue: 2 },
  inspectorPage: { mostValue: 20 },
  inspectorOfManyDeliveries: { mostValue: 50 },
  idleConnections: { mostValue: 30 },
  getOneBesidePackages: { least: 0.6 },
  getOneBesideBestPeer: { least: 3 },
  readyBesidePeer: { most: 1 },
  submit: { most: 3 },
  mixedRequests: { least: 0.8 },
  mixedRequestsMemory: { mostValue: 300 },
  upload: { least: 0.85 },
  uploadClientMemory: { mostValue: 140 },
  uploadServerMemory: { mostValue: 130 },
  deliveries: { least: 0.35 },
  deliveryCreation: { mostValue: 65 },
  deliveryLatency: { mostValue: 50 },
  verify: { least: 0.65 },
  explainOneKilobyte: { mostValue: 50 },
  explainTwentyKilobytes: { mostValue: 150 },
  explainOneMegabyte: { mostValue: 1_000 },
  triageIncidents: { mostValue: 8_000 },
  triageUnexplained: { mostValue: 150_000 },
  triageMemory: { most: 1.3 },
  submitToReport: { most: 1.5 },
  othersMeanwhile: { mostValue: 30 },
});

/** Of `check` against papaparse, by the layout. */
export const AIMS_OF_CHECK = /** @satisfies {Record<string, Aim>} */ ({
  entry: { most: 2.1 },
  es003: { most: 2.3 },
});
