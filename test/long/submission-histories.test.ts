import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import fc from "fast-check";
import { it } from "vitest";
import { PROGRAM } from "../support/cli.ts";
import { createHistories, playHistory, type StartRun } from "../support/submission-history.ts";

/** `CLAIMS_TEST_KILLS` is the number of kills of all tests of this folder; half as many histories have some each. */
const { CLAIMS_TEST_KILLS = "20", CLAIMS_TEST_SEED = "777" } = process.env;
const HISTORIES = Math.ceil(Number(CLAIMS_TEST_KILLS) / 2);
const TIMEOUT_MS = 120_000 + HISTORIES * 60_000;

/** What happens at an operation of a run in process happens here after so many milliseconds: the last one is after most runs. */
const STEP_MS = 4;

const startProcess: StartRun = (args, { cwd, env, incident, onChange }) => {
  const [program, ...first] = PROGRAM.self;
  const child = spawn(program, [...first, ...args], { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const kill = () => void child.kill("SIGKILL");
  const begin = () => {
    if (incident?.kind === "change") onChange();
    else if (incident?.kind === "stop") child.kill("SIGINT");
    else if (incident?.kind !== "full") kill();
  };
  const timer = incident === null ? undefined : setTimeout(begin, incident.step * STEP_MS);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr), ended]);
  const completion = output.then(([stdout, stderr, code]) => {
    clearTimeout(timer);
    return { code, stdout, stderr };
  });
  return { completion, kill };
};

it(
  "random histories of submissions in separate processes with kill -9 double nothing, send only what was given, and forget no decision",
  { tags: "large", timeout: TIMEOUT_MS },
  () =>
    fc.assert(
      fc.asyncProperty(createHistories({ hasClock: false }), (history) => playHistory(history, startProcess)),
      {
        seed: Number(CLAIMS_TEST_SEED),
        numRuns: HISTORIES,
        // A loaded machine plays fewer of them.
        interruptAfterTimeLimit: TIMEOUT_MS / 2,
        // The moments of kills differ from run to run, so a search for a shorter history would not end.
        endOnFailure: true,
      },
    ),
);
