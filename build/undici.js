// @ts-nocheck undici has no types for its own files.
// What `import … from "undici"` means in the bundles: an Agent that sends requests, and its connector. undici's index also
// loads fetch, WebSocket, caches and mocks, which cost every command that sends a request 41 to 52 ms (Node 20 and 24).
// These files are private: test/package.test.ts fails when an undici moves them or joins them differently.
import api from "undici/lib/api/index.js";
import buildConnector from "undici/lib/core/connect.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";

Object.assign(Dispatcher.prototype, api);

export { Agent, buildConnector };
