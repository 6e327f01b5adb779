// Submits a file with the clients that Hey API and orval generate.
import { client } from "./hey-api/client.gen.js";
import { diligenceStatus, diligenceSubmit } from "./hey-api/sdk.gen.js";
import { diligenceSubmit as submitWithOrval } from "./orval.js";

const { CLAIMS_BASE_URL = "", CLAIMS_API_KEY = "" } = process.env;
const file = new File(["entry_number,entry_date\n"], "entries.csv", { type: "text/csv" });
const body = { seller_name: "Generated", requires_protest_documentation: "false", file } as const;

client.setConfig({ baseUrl: CLAIMS_BASE_URL, auth: () => CLAIMS_API_KEY });
const submitted = await diligenceSubmit({ body, throwOnError: true });
const job = await diligenceStatus({ path: { jobId: submitted.data.jobId }, throwOnError: true });
if (job.data.fileName !== "entries.csv" || job.data.fileBytes !== file.size)
  throw new Error("the client of Hey API did not submit the file");

const headers = { Authorization: `Bearer ${CLAIMS_API_KEY}` };
const again = await submitWithOrval(body, { headers });
if (again.status !== 202 || again.data.fileName !== "entries.csv" || again.data.fileBytes !== file.size)
  throw new Error("the client of orval did not submit the file");
console.log(`Hey API: ${submitted.response.status}; orval: ${again.status}`);
