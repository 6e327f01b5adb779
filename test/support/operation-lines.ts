import { fixture } from "./cli.ts";
import { NOTIFICATION_FLAGS, ORGANIZATION_FLAGS } from "./sample-claims.ts";
import { SELLER, submitArgs } from "./sandbox.ts";

/** The arguments of a command that calls an operation of the service; each call makes them for one more run. */
export type OperationLines = Readonly<Record<string, () => Promise<readonly string[]> | readonly string[]>>;

/**
 * Creates what the commands need, and returns a command line for each command that calls one operation.
 *
 * @param idOf runs a command with `-q` and returns the id that it prints
 */
export async function createOperationLines(
  idOf: (...args: string[]) => Promise<string>,
): Promise<OperationLines> {
  const complete = fixture("sample_entries.csv");
  const createJob = () => idOf(...submitArgs(complete, "--wait", "--on-duplicate", "submit"));
  const createPartial = async () => {
    const job = await idOf(...submitArgs(fixture("scenario_partial.csv"), "--on-duplicate", "submit"));
    await idOf("diligence", "wait", job);
    return job;
  };
  const job = await createJob();
  const client = await idOf("clients", "create", "--name", "Acme");
  const createClaim = async () => idOf("claims", "create", "--client", client, "--job", await createJob());
  const claim = await createClaim();
  const scan = await idOf("scans", "create", "--wait");
  const none = () => [];
  return {
    "auth token": none,
    "diligence submit": () => [complete, "--seller-name", SELLER, "--on-duplicate", "submit"],
    "diligence resume": async () => [await createPartial()],
    "diligence status": () => [job],
    "diligence wait": () => [job],
    "diligence report": () => [job],
    "diligence dataset": () => [job],
    "webhooks create": () => ["http://127.0.0.1:9/hook", "--label", "x", "--scope", "sandbox"],
    "webhooks list": none,
    "webhooks test": () => ["partner.test"],
    "webhooks deliveries": none,
    "clients list": none,
    "clients create": () => ["--name", "Beta"],
    "claims list": none,
    "claims create": async () => ["--client", client, "--job", await createJob()],
    "claims status": () => [claim],
    "offers create": async () => ["--claim", await createClaim()],
    "offers list": none,
    "litigation enroll": async () => [await createClaim()],
    "revenue ledger": none,
    "revenue dashboard": none,
    "scans create": none,
    "scans delta": () => [scan],
    "scans get": () => [scan],
    "scans summary": () => [scan],
    "orgs onboard": () => ["north-pier", ...ORGANIZATION_FLAGS],
    "orgs get": () => ["north-pier"],
    "notifications create": () => NOTIFICATION_FLAGS,
  };
}
