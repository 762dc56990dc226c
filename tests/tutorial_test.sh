#!/bin/sh
# Runs the commands of docs/tutorial.md, and compares what the tutorial shows with what they print:
# tutorial_test.sh SOURCE BUILD
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
cd "$work"
cp "$source/docs/data/seattle-weather.csv" .
PATH=$build:$PATH

# A console block has commands after "$ " and what they print below.
awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/tutorial.md" >shown
grep '^\$ ' shown | sed 's/^\$ //' >commands
[ -s commands ]
while IFS= read -r command; do
  printf '$ %s\n' "$command"
  eval "$command"
done <commands >printed 2>&1

# Times, dates and checksums differ from run to run; figures may differ in their last digit.
plain() {
  sed -E 's/[0-9.]+ s$/TIME/; s/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/DATE/; s/checksum [0-9a-f]{16}/checksum SUM/' "$1"
}
plain shown >shown.plain
plain printed >printed.plain
diff shown.plain printed.plain
