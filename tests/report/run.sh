#!/bin/sh
# The report in a headless Chromium. Without Chromium, node, or the two npm packages (which are kept
# in the build folder once they are there) it says what is missing and ends with 77: skipped.
# Usage: run.sh PROGRAM SOURCE_DIR BUILD_DIR
set -eu
program=$1 source=$2 place=$3/report_in_browser

skip() {
  printf 'SKIPPED: %s\n' "$*"
  exit 77
}
: "${CHROMIUM:=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}"
[ -n "$CHROMIUM" ] || skip 'there is no Chromium to open the report with (apt-get install chromium)'
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  skip 'node and npm are not installed (apt-get install nodejs npm)'
fi

mkdir -p "$place"
cp "$source"/tests/report/package*.json "$source"/tests/report/*.mjs "$place"
cd "$place"
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1 || {
    tail -n 5 npm.log
    skip 'npm could not fetch playwright-core and axe-core: is there a network?'
  }
  cp package-lock.json node_modules/.installed
fi
export CHROMIUM
VARGP=$program SOURCE=$source SCRATCH=$place/scratch exec node --test report_test.mjs
