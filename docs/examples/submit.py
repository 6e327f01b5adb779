"""Submits one entry file and prints what the review says: `python3 submit.py FILE SELLER`. `claims` is on the PATH.

Run it again after any failure: it submits the same file once. It decides by the exit code, and reads JSON alone.
"""

import json
import subprocess
import sys


def claims(*words):
    """Returns the exit code of a command, its document, and its error: each line of stderr is a JSON object."""
    command = ["claims", *words, "--json", "--no-input"]
    run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    messages = [json.loads(line) for line in run.stderr.splitlines()]
    error = next((message["error"] for message in messages if "error" in message), None)
    return run.returncode, json.loads(run.stdout) if run.stdout else None, error


def main(file, seller):
    options = ["--seller-name", seller, "--on-duplicate", "skip", "--wait", "--yes"]
    code, document, error = claims("diligence", "submit", file, *options)
    if code == 9 and error["code"] == "job_partial":
        code, document, error = claims("diligence", "resume", error["jobId"], "--wait", "--yes")
    if code == 0:
        print(document["jobId"], document["rf8Review"]["outcome"])
    elif error["retryable"]:  # exit 6 and 8
        print("try later:", error["message"], file=sys.stderr)
    else:
        print(f"{error['message']}: {error['hint']}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
