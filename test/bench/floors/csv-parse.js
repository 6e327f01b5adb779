// Reads a CSV file with csv-parse and discards the rows. Arguments: modules, file.
import { createReadStream } from "node:fs";
import { createRequire } from "node:module";

const [, , modules = "", file = ""] = process.argv;
const { parse } = createRequire(`${modules}/`)("csv-parse");

createReadStream(file)
  .pipe(parse())
  .on("data", () => {});
