/** sql.js with its WebAssembly inside the script, so that source and bundle load one file. */
declare module "sql.js/dist/sql-wasm-inline.js" {
  import initSqlJs from "sql.js";
  export default initSqlJs;
}
