import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { readParameters } from "../../../../../sandbox/http/pipeline/multipart.ts";

const latin1 = (text: string) => Buffer.from(text).toString("latin1");

it.each([
  ["form-data", {}],
  ['form-data; name="file"; filename="a;b=c.csv"', { name: "file", filename: "a;b=c.csv" }],
  ["form-data; NAME=file ;filename = a.csv", { name: "file", filename: "a.csv" }],
  ['form-data; name=""', { name: "" }],
  ['form-data; name="one"; name="two"', { name: "one" }],
  ['form-data; filename="C:\\exports\\june.csv"', { filename: "C:\\exports\\june.csv" }],
  ['form-data; filename="\\"a\\" \\\\ b"', { filename: '"a" \\ b' }],
  ['form-data; filename="%22a%22.csv"', { filename: '"a".csv' }],
  [latin1('form-data; filename="Zürich ✓.csv"'), { filename: "Zürich ✓.csv" }],
  ['form-data; name="not closed', { name: "not closed" }],
  ['multipart/form-data; charset=utf-8; boundary="a b"', { charset: "utf-8", boundary: "a b" }],
])("readParameters parses %j", (header, parameters) => {
  expect(Object.fromEntries(readParameters(header))).toEqual(parameters);
});
