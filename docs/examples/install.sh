#!/usr/bin/env bash
# install.sh: downloads the file at CLAIMS_URL, checks that its sum is CLAIMS_SHA256, and makes it ./bin/claims.
set -euo pipefail
mkdir -p bin
curl --fail --silent --show-error --location --output bin/claims.download "$CLAIMS_URL"
echo "$CLAIMS_SHA256  bin/claims.download" | sha256sum --check --quiet
chmod 0755 bin/claims.download
mv bin/claims.download bin/claims
