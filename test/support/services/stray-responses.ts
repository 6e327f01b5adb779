import { type ForeignResponse, HTML, HTML_UTF8, JSON_TYPE, page, STYLE, STYLED } from "./foreign-response.ts";
import { json } from "./server.ts";
import { JOB_ID } from "./service.ts";

const LOGIN = `<!DOCTYPE html>\n<html>\n<head><title>Log in</title>${STYLE}</head>\n<body><form action="/session" method="post"><label>E-mail<input name="email"></label><input type="password" name="password"><button>Log in</button></form></body>\n</html>\n`;

/** 2xx and 3xx that do not come from the service, or that have nothing of what was asked. */
export const NOT_THE_SERVICE: readonly ForeignResponse[] = [
  page("login page", "single sign-on in front of the service", 200, LOGIN, {
    headers: HTML_UTF8,
    shows: "Log in",
    ...STYLED,
  }),
  page("login page called JSON", "a proxy that sets the type of every response", 200, LOGIN, {
    headers: JSON_TYPE,
    shows: "Log in",
    ...STYLED,
  }),
  page("OK as text", "a health check that answers every path", 200, "OK", {
    headers: { "content-type": "text/plain" },
  }),
  {
    name: "204",
    source: "frameworks that send no body after a write",
    status: 204,
    readings: { submission: "outcome unknown", write: "done", list: "unreadable", status: "unreadable" },
  },
  {
    name: "empty 202",
    source: "a queue in front of the service",
    status: 202,
    readings: { submission: "outcome unknown", write: "done" },
  },
  {
    name: "empty 202 to /login",
    source: "single sign-on in front of the service",
    status: 202,
    headers: { location: "/login" },
    readings: { submission: "outcome unknown", write: "done" },
  },
  {
    name: "200 with JSON and no id",
    source: "an application that reports errors with 200",
    ...json(200, { success: false, message: "Session expired" }),
    readings: { submission: "outcome unknown", write: "done", list: "unreadable" },
  },
  {
    name: "200 with null",
    source: "serialisers of nothing",
    ...json(200, null),
    readings: { submission: "outcome unknown", write: "done", list: "unreadable", status: "unreadable" },
  },
  {
    name: "202 with a list",
    source: "hand-written handlers",
    ...json(202, ["queued"]),
    readings: { submission: "outcome unknown", write: "done" },
  },
  {
    name: "302 to the login page",
    source: "Spring Security, Django login_required, Rails Devise",
    status: 302,
    headers: { location: "https://sso.example/login?next=/v1/diligence/submit", ...HTML },
    body: "<html><head><title>Found</title></head></html>",
    readings: { list: "rejected", status: "rejected" },
    shows: "redirect",
  },
  page(
    "truncated JSON with a job id",
    "a proxy with a small buffer",
    202,
    `{"jobId":"${JOB_ID}","status":"queu`,
    { headers: JSON_TYPE, readings: { submission: "outcome unknown", write: "outcome unknown" } },
  ),
  page("JSON with a prefix", "the XSSI prefix of AngularJS", 200, `)]}',\n{"jobId":"${JOB_ID}"}`, {
    headers: JSON_TYPE,
  }),
  {
    name: "connection cut in the body",
    source: "a crash of a proxy",
    ...json(202, { jobId: JOB_ID, status: "queued" }),
    cutAfter: 20,
    readings: { submission: "outcome lost", write: "outcome lost" },
  },
];
