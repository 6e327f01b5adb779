// What the one file without Node runs: as bin/claims.js, with itself as the program.
import process from "node:process";
import { main } from "../../src/cli/main.ts";

const { bun } = process.versions;

main({ runtime: `Bun ${bun}, in one file`, self: [process.execPath] }).then((exitCode) => {
  process.exitCode = exitCode;
});
