// A separate chunk, loaded with the first body or query that has a schema: it is as large as Koa.
export { Errors } from "typebox/schema";
