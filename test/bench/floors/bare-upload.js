// The floor of an upload: node:http sends one multipart body from a file.
import { createReadStream, statSync } from "node:fs";
import { request } from "node:http";

const [, , url = "", path = ""] = process.argv;
const boundary = "----------------------------bench";
const field = (/** @type {string} */ name, /** @type {string} */ value) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const head = `${field("seller_name", "Bench")}${field("requires_protest_documentation", "false")}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="entries.csv"\r\nContent-Type: text/csv\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

const outgoing = request(`${url}/`, {
  method: "POST",
  headers: {
    "Content-Type": `multipart/form-data; boundary=${boundary}`,
    "Content-Length": Buffer.byteLength(head) + statSync(path).size + Buffer.byteLength(tail),
  },
});
outgoing.on("response", (response) => response.resume());
outgoing.write(head);
const file = createReadStream(path, { highWaterMark: 1 << 20 });
file.on("end", () => outgoing.end(tail));
file.pipe(outgoing, { end: false });
