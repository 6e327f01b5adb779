#!/bin/sh
# Makes the clients from the contract of the running sandbox, and uses them as typed.
set -eu
claims contract fetch > openapi.json
npx openapi-typescript openapi.json -o api.d.ts > openapi-typescript.txt
npx openapi-ts > hey-api.txt
npx orval > orval.txt
npx tsc --strict --module nodenext --target es2023 --lib es2023,dom,dom.iterable --types node --skipLibCheck openapi-fetch.ts submit.ts nightly.ts
node openapi-fetch.js
node submit.js

# They keep the documented rules, also on services that vary everything else. .ci/long names the seeds, and uses all rules.
seeds=${CLAIMS_TEST_SEEDS:-3}
rules="--only credential --only submit.queued --only submit.job_id --only results.pinned --only resume"
[ -z "${CLAIMS_TEST_SEEDS:-}" ] || rules=
for client in openapi-fetch submit; do
  claims conformance --passive -- node "$client.js" > "$client.txt"
  for seed in $seeds; do
    # The program itself may fail there.
    claims conformance --passive --grease all --seed "$seed" -- node "$client.js" > "$client.txt" 2> "$client.err" ||
      { cat "$client.txt" "$client.err"; exit 1; }
  done
done
claims conformance $rules -- node nightly.js > nightly.txt
for seed in $seeds; do
  claims conformance $rules --grease all --seed "$seed" -- node nightly.js > nightly.txt
done
echo "conformance: the clients of openapi-fetch and Hey API fail no documented rule"
