import { EVENT_TYPES } from "../../../../domain/webhooks/event-types.ts";
import { command } from "../../../framework/command.ts";
import { type OptionSpecs, type OptionValues, SERVICE_OPTIONS } from "../../../framework/options.ts";
import { parseDurationFlag, parseInteger, parsePort } from "../../../framework/values.ts";
import { parseTarget, secretOptions } from "../options.ts";

const listenOptions = {
  port: { value: "number", parse: parsePort, help: "port to listen on; 0 picks a free one", default: "4800" },
  host: { value: "address", help: "address to listen on", default: "127.0.0.1" },
  ...secretOptions,
  tolerance: {
    value: "duration",
    parse: parseDurationFlag,
    help: "refuse timestamps further from now than this: 5m",
    default: "any age",
  },
  forwardTo: {
    value: "url",
    parse: parseTarget,
    help: "forward verified deliveries to this app, byte for byte",
  },
  forwardUnverified: { help: "forward deliveries that do not verify too" },
  record: {
    value: "dir",
    help: "write each delivery to a file that `verify` reads",
  },
  register: {
    help: "register with the local sandbox while listening, and verify with that secret; --secret-file keeps it for the app",
  },
  event: {
    value: "event",
    repeats: true,
    help: "with --register: exact name of an event to register for; may repeat",
    default: `the ${EVENT_TYPES.length} published ones`,
  },
  baseUrl: {
    ...SERVICE_OPTIONS.baseUrl,
    help: "with --register: base URL of the sandbox",
    variable: "CLAIMS_BASE_URL",
  },
  sandboxName: {
    ...SERVICE_OPTIONS.sandboxName,
    help: "with --register: name of the sandbox, if several run",
  },
  environment: {
    ...SERVICE_OPTIONS.environment,
    help: "with --register: environment of the events",
    variable: "CLAIMS_ENVIRONMENT",
  },
  count: {
    value: "n",
    parse: (text) => parseInteger(text, { what: "a number of deliveries", min: 1, max: 1_000_000 }),
    help: "stop after n deliveries",
  },
  timeout: { value: "duration", parse: parseDurationFlag, help: "stop after this time: 90s, 15m" },
} as const satisfies OptionSpecs;

export type ListenOptions = OptionValues<typeof listenOptions>;

export const listen = command({
  name: "listen",
  prints: "ListenLine",
  summary: "receive deliveries on this machine; verify, show, record and forward them",
  output: "nothing",
  options: listenOptions,
  examples: [
    "claims webhooks listen --register",
    "claims webhooks listen --register --secret-file whsec.txt --forward-to http://localhost:3000/hook",
    "claims webhooks listen --port 0 --secret-file secret.txt --count 1 --timeout 1m --json",
  ],
  async run(context, { options, global, onEnd }) {
    const { runListen } = await import("./run.ts");
    return runListen(context, options, { global, onEnd, requestTimeout: undefined });
  },
});
