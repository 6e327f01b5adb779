#!/usr/bin/env bash
# job.sh: runs nightly.sh in the folder DATA for SELLER at SERVICE_URL, with the key in KEY_FILE or CLAIMS_API_KEY.
scripts=$(cd "$(dirname "$0")" && pwd)
cd "$DATA" || exit 2
umask 077
private=$(mktemp -d) || exit 6
trap 'rm -rf "$private"' EXIT
unset CLAIMS_CONFIG_DIR # that of an image would keep the log outside of DATA
export XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=$private CLAIMS_NO_INPUT=1
[ -n "${KEY_FILE:-}" ] || { KEY_FILE=$private/api-key; printf %s "$CLAIMS_API_KEY" > "$KEY_FILE"; }
unset CLAIMS_API_KEY
bash "$scripts/nightly.sh" ./entries "$SELLER" "$SERVICE_URL" "$KEY_FILE" 2>&1 | (trap "" HUP INT TERM; tee "$private/log")
code=${PIPESTATUS[0]}
case $code in
  0) act="every file is complete" ;;
  5 | 9) act="look at the files: $PWD/results/batch.csv" ;;
  6 | 8 | 129 | 130 | 143) act="try later: the next run continues" ;;
  *) act="page someone" ;; # 10, 4 and 2, or a bug
esac
[ ! -s "$private/log" ] && [ "$code" -eq 0 ] || echo "exit $code: $act"
grep -oE '`claims history (resolve|forget) [^`]+`' "$private/log" | tr -d '`' | sort -u | while read -r command; do
  echo "  CLAIMS_CONFIG_DIR= XDG_STATE_HOME=$(printf %q "$XDG_STATE_HOME") $command"
done
exit "$code"
