import route from "../../../docs/examples/app/hook/route.js?text";
import service from "../../../docs/examples/claims.service?text";
import timer from "../../../docs/examples/claims.timer?text";
import cronJob from "../../../docs/examples/cronjob.yaml?text";
import crontab from "../../../docs/examples/crontab?text";
import github from "../../../docs/examples/github.yml?text";
import gitlab from "../../../docs/examples/gitlab.yml?text";
import handler from "../../../docs/examples/handler.mjs?text";
import install from "../../../docs/examples/install.sh?text";
import job from "../../../docs/examples/job.sh?text";
import koa from "../../../docs/examples/koa.mjs?text";
import nightly from "../../../docs/examples/nightly.sh?text";
import oneSandbox from "../../../docs/examples/one-sandbox.ts?text";
import jest from "../../../docs/examples/partner.jest.cjs?text";
import partner from "../../../docs/examples/partner.mjs?text";
import nodeTest from "../../../docs/examples/partner.node.mjs?text";
import vitest from "../../../docs/examples/partner.test.ts?text";
import pythonTest from "../../../docs/examples/partner_test.py?text";
import express from "../../../docs/examples/receiver.mjs?text";
import flask from "../../../docs/examples/receiver.py?text";
import sharedSuite from "../../../docs/examples/shared.spec.ts?text";
import story from "../../../docs/examples/story.mjs?text";
import pythonJob from "../../../docs/examples/submit.py?text";
import vitestConfig from "../../../docs/examples/vitest.config.ts?text";

export interface Example {
  readonly name: string;
  readonly summary: string;
  /** Path below the folder of `--out` → content. */
  readonly files: Readonly<Record<string, string>>;
}

/** A folder of entry files every night; `job.sh` turns the exit code into who must act. */
const NIGHT = { "nightly.sh": nightly, "job.sh": job };
const DOWNLOADED_NIGHT = { ...NIGHT, "install.sh": install };

/** What the suites of JavaScript test. */
const PARTNER = { "partner.mjs": partner };

export const EXAMPLES: readonly Example[] = [
  { name: "nightly", summary: "submit a folder every night, and say who must act", files: NIGHT },
  { name: "cron", summary: "the night from cron", files: { crontab, ...NIGHT } },
  {
    name: "systemd",
    summary: "the night from a systemd timer",
    files: { "claims.service": service, "claims.timer": timer, ...NIGHT },
  },
  {
    name: "github",
    summary: "the night in GitHub Actions",
    files: { "github.yml": github, ...DOWNLOADED_NIGHT },
  },
  { name: "gitlab", summary: "the night in GitLab CI", files: { "gitlab.yml": gitlab, ...DOWNLOADED_NIGHT } },
  {
    name: "kubernetes",
    summary: "the night as a CronJob of Kubernetes",
    files: { "cronjob.yaml": cronJob, ...NIGHT },
  },
  { name: "python-job", summary: "submit a file from Python", files: { "submit.py": pythonJob } },
  { name: "express", summary: "a receiver of webhooks with Express", files: { "receiver.mjs": express } },
  { name: "koa", summary: "a receiver of webhooks with Koa", files: { "koa.mjs": koa } },
  { name: "next", summary: "a receiver of webhooks in Next.js", files: { "app/hook/route.js": route } },
  { name: "lambda", summary: "a receiver of webhooks in AWS Lambda", files: { "handler.mjs": handler } },
  { name: "flask", summary: "a receiver of webhooks with Flask", files: { "receiver.py": flask } },
  {
    name: "vitest",
    summary: "a test suite with a sandbox in vitest",
    files: {
      "partner.test.ts": vitest,
      "shared.spec.ts": sharedSuite,
      "one-sandbox.ts": oneSandbox,
      "vitest.config.ts": vitestConfig,
      ...PARTNER,
    },
  },
  {
    name: "jest",
    summary: "a test suite with a sandbox in jest",
    files: { "partner.jest.cjs": jest, ...PARTNER },
  },
  {
    name: "node-test",
    summary: "a test suite with a sandbox in node:test",
    files: { "partner.node.mjs": nodeTest, ...PARTNER },
  },
  {
    name: "python-test",
    summary: "a test suite with a sandbox in unittest of Python",
    files: { "partner_test.py": pythonTest },
  },
  {
    name: "script",
    summary: "a sandbox in a script for Node, Bun or Deno",
    files: { "story.mjs": story, ...PARTNER },
  },
];
