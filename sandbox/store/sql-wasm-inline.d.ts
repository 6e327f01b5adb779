/** sql.js with its WebAssembly inside the script: one file, from source and in a bundle alike. */
declare module "sql.js/dist/sql-wasm-inline.js" {
  import initSqlJs from "sql.js";
  export default initSqlJs;
}
