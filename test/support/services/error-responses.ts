import {
  type ForeignResponse,
  HTML_UTF8,
  jsonError,
  page,
  readingsOfError,
  STYLE,
  STYLED,
} from "./foreign-response.ts";

const nginx = (status: string) =>
  `<html>\r\n<head><title>${status}</title></head>\r\n<body>\r\n<center><h1>${status}</h1></center>\r\n<hr><center>nginx/1.24.0</center>\r\n</body>\r\n</html>\r\n${"<!-- a padding to disable MSIE and Chrome friendly error page -->\r\n".repeat(6)}`;

/** What servers, gateways and frameworks send when a request fails. */
export const ERRORS: readonly ForeignResponse[] = [
  page("nginx 502", "nginx, ngx_http_special_response.c", 502, nginx("502 Bad Gateway"), {
    shows: "502 Bad Gateway",
    hides: "padding",
  }),
  page(
    "Cloudflare 522",
    "Cloudflare 5xx page",
    522,
    `<!DOCTYPE html>\n<html class="no-js" lang="en-US">\n<head>\n<title>claims.example | 522: Connection timed out</title>\n${STYLE}\n</head>\n<body><div id="cf-wrapper"><h1><span>Connection timed out</span><span>Error code 522</span></h1>\n<p>Cloudflare Ray ID: <strong>8a1b2c3d4e5f6a7b</strong></p></div></body>\n</html>`,
    {
      headers: { ...HTML_UTF8, server: "cloudflare", "cf-ray": "8a1b2c3d4e5f6a7b-FRA" },
      shows: "522: Connection timed out",
      ...STYLED,
      readings: { submission: "outcome lost", write: "outcome lost", list: "try later", status: "try later" },
    },
  ),
  page(
    "Cloudflare challenge",
    "Cloudflare, managed challenge",
    403,
    `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>${STYLE}</head><body><noscript>Enable JavaScript and cookies to continue</noscript><script>(function(){window._cf_chl_opt={cRay:'8a1b'};})();</script></body></html>`,
    { headers: { ...HTML_UTF8, "cf-mitigated": "challenge" }, shows: "Just a moment", hides: "_cf_chl_opt" },
  ),
  jsonError(
    "Spring Boot JSON",
    "Spring Boot, DefaultErrorAttributes",
    400,
    {
      timestamp: "2026-11-23T09:30:00.000+00:00",
      status: 400,
      error: "Bad Request",
      message: "Required part 'file' is not present.",
      path: "/v1/diligence/submit",
    },
    "Required part 'file' is not present",
  ),
  jsonError(
    "Laravel throttle",
    "Laravel, ThrottleRequests",
    429,
    { message: "Too Many Attempts." },
    "Too Many Attempts",
    { "retry-after": "1", "x-ratelimit-limit": "60", "x-ratelimit-remaining": "0" },
  ),
  jsonError(
    "FastAPI validation",
    "FastAPI, RequestValidationError",
    422,
    { detail: [{ type: "missing", loc: ["body", "seller_name"], msg: "Field required", input: null }] },
    "Field required",
  ),
  {
    name: "409 without a body",
    source: "hand-written handlers",
    status: 409,
    readings: readingsOfError(409),
  },
];
