import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../sandbox/index.ts";
import { type CliResult, errorOf, fixture, runCli } from "../support/cli.ts";
import { NOTIFICATION_FLAGS } from "../support/sample-claims.ts";
import { submitArgs } from "../support/sandbox.ts";
import { startVariedService, variationsCovering } from "../support/variations.ts";

const PARTIAL = fixture("scenario_partial.csv");

/** Parses the error document, including the fields that programs can branch on. */
const documentOf = (result: CliResult) =>
  errorOf(result) as ReturnType<typeof errorOf> & { status: number | null; requestId: string | null };

/** The text of an error: of a page, only its title is shown. */
const textOf = ({ grease }: Sandbox, message: string): string =>
  grease.variants.includes("errorShape=html") ? "a web page with the title" : message;

describe.each(variationsCovering("errorShape"))("errors on %s", (_, variation) => {
  it("an error of each kind has its exit code and the status, request id and message of the service", async () => {
    const { sandbox, env, claims, idOf } = await startVariedService(variation, { maxUploadBytes: 5_000 });
    const expectRefusal = async (code: number, status: number, message: string, ...args: string[]) => {
      const result = await claims(...args, "--json");
      expect([result.code, result.stdout], result.stderr).toEqual([code, ""]);
      const [latest] = (await sandbox.requests.list({ limit: 1 })).slice(-1);
      expect(documentOf(result)).toMatchObject({
        ...{ exitCode: code, status, requestId: latest?.requestId },
        ...{ message: expect.stringContaining(textOf(sandbox, message)), hint: expect.stringMatching(/./) },
      });
      expect(documentOf(result).message, args.join(" ")).not.toMatch(/[<>{}\n]/);
    };
    const job = await idOf(...submitArgs(PARTIAL));
    await expectRefusal(3, 404, "no job 7d9c", "diligence", "status", "7d9c");
    const notification = ["notifications", "create", ...NOTIFICATION_FLAGS, "--job", "7d9c"];
    await expectRefusal(3, 404, "no job 7d9c", ...notification);
    await expectRefusal(3, 404, "no claim none", "offers", "create", "--claim", "none");
    await expectRefusal(
      5,
      422,
      "contactEmail: must be an e-mail address",
      ...["api", "POST", "/v1/clients", "-f", "name=Acme", "-f", "contactEmail=nobody"],
    );
    await expectRefusal(5, 422, "limit", "clients", "list", "--limit", "500");
    await expectRefusal(5, 413, "", ...submitArgs(fixture("boundaries.csv"), "--check", "off"));
    await idOf("diligence", "resume", job, "--wait");
    await expectRefusal(5, 409, "completed", "diligence", "resume", job);
    const wrong = await runCli(["clients", "list", "--json"], {
      env: { ...env, CLAIMS_API_KEY: "sk_sandbox_wrong" },
    });
    expect(documentOf(wrong)).toMatchObject({ exitCode: 4, status: 401 });
    const production = { ...env, CLAIMS_API_KEY: sandbox.credentials.production.apiKey };
    const elsewhere = await runCli(["webhooks", "test", "partner.test", "--json"], { env: production });
    expect(documentOf(elsewhere)).toMatchObject({ exitCode: 4, status: 403 });
  });
});
