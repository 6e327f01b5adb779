// What the one file without Node runs: as bin/claims.js, with itself as the program.
const { main } = require("../../dist/cli.cjs");

main({
  runtime: `Bun ${process.versions.bun}, in one file`,
  self: [process.execPath],
  tuneForShortRun: () => {},
}).then((exitCode) => {
  process.exitCode = exitCode;
});
