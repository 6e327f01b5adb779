// Counts the values of each column of a CSV file with DuckDB: it would skip columns that nothing asks for. Arguments: modules, file.
import { createRequire } from "node:module";

const [, , modules = "", file = ""] = process.argv;
const { DuckDBInstance } = createRequire(`${modules}/`)("@duckdb/node-api");

const connection = await (await DuckDBInstance.create(":memory:")).connect();
await connection.runAndReadAll("SELECT count(COLUMNS(*)) FROM read_csv($file)", { file });
