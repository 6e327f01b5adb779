#!/usr/bin/env bash
# nightly.sh FOLDER SELLER URL KEY_FILE: exits 0 when every file is complete. After any failure, run it again: it continues.
set -uo pipefail
keep() { [ "$code" -ne 0 ] || code=$1; } # the first failure decides the exit code
run() {
  claims diligence batch "$1" --seller-name "$2" --on-duplicate skip ${CONTENT_KEY:+--content-key} --yes --retry-for "${RETRY_FOR:-2h}" \
    --timeout 2h --resume --pull results/reports --fields state,jobId,file,error.hint --out results/batch.csv
}
write_rejected() { # of the folder $1, for the jobs on stdin
  claims diligence report - --fields jobId,totals.entriesRejected,asOf | awk -F '\t' '$2 > 0' | while read -r job count day; do
    # A name with a comma or a quote stands in quotes, and a quote in it is written twice.
    name=$(grep "^completed,$job," results/batch.csv | head -1 | tr -d '\r' | cut -d, -f3- | sed -e 's/,$//' -e 's/^"\(.*\)"$/\1/' -e 's/""/"/g')
    claims diligence check "$1/$name" --as-of "$day" --rejected-csv "results/rejected/$name" -q < /dev/null > results/last-job.txt || exit
    echo "$name: rejected entries: $count; their rows: $PWD/results/rejected/$name" >&2
  done
}
code=0
mkdir -p results/rejected && touch results/seen.txt || exit
claims auth login --no-check --base-url "$3" --key-file "$4" > results/login.txt || exit
run "$@" || code=$?
if grep -qs -e --resume results/batch.csv; then # jobs that ended partial just now
  code=0
  run "$@" || code=$?
fi
[ "$code" -ne 6 ] || exit 6 # the service is still down, or another run holds the log: the next run continues
jobs=$(grep -s '^completed,' results/batch.csv | cut -d, -f2 | sort -u | grep -vxFf results/seen.txt) # without those of earlier nights
[ -z "$jobs" ] || { write_rejected "$1" <<< "$jobs" && echo "$jobs" >> results/seen.txt; } || keep $?
claims diligence deadlines --within 30d --csv --out results/deadlines.csv || keep $?
exit "$code"
