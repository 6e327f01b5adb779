const baseUrl = process.env.CLAIMS_BASE_URL;
export default {
  claims: { input: "openapi.json", output: { target: "orval.ts", client: "fetch", baseUrl } },
};
