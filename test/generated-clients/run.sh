#!/bin/sh
# Makes the clients from the contract of the running sandbox, and uses them as typed.
set -eu
claims contract fetch > openapi.json
npx openapi-typescript openapi.json -o api.d.ts > openapi-typescript.txt
npx openapi-ts > hey-api.txt
npx orval > orval.txt
npx tsc --strict --module nodenext --target es2023 --lib es2023,dom,dom.iterable --types node --skipLibCheck openapi-fetch.ts submit.ts
node openapi-fetch.js
node submit.js
