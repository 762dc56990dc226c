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

# A console block has commands after "$ ", and below each what it prints.
awk '/^```console$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/tutorial.md" >shown
sed -n 's/^\$ //p' shown >commands
[ -s commands ]
while IFS= read -r command; do
  printf '$ %s\n' "$command"
  eval "$command" || printf 'exit code %s\n' "$?"
done <commands >printed 2>&1

# Word by word, and cell by cell. Times, dates and checksums differ; numbers may differ a little from one processor to
# another, and so may bars.
awk '
  function plain(word) {
    gsub(/[%()]/, "", word)
    return word
  }
  function same(a, b) {
    if (a == b || a ~ /[█░]/ || a ~ /^[0-9]+-[0-9]+-[0-9]+$/ || a ~ /^[0-9]+:[0-9]+$/ ||
        a ~ /^[0-9a-f]+$/ && length(a) == 16)
      return 1
    a = plain(a); b = plain(b)
    if (a !~ /^-?[0-9.e-]+$/ || b !~ /^-?[0-9.e-]+$/) return 0
    difference = a - b; size = a < 0 ? -a : a
    return (difference < 0 ? -difference : difference) <= 0.05 * size + 0.02
  }
  NR == FNR { shown[FNR] = $0; lines = FNR; next }
  {
    count = split(shown[FNR], words, /[ ,]+/)
    wrong = count != split($0, printed, /[ ,]+/)
    time = words[2] == "time"
    for (i = 1; i <= count && !wrong && !time; ++i) wrong = !same(words[i], printed[i])
    if (wrong) { printf "shown:   %s\nprinted: %s\n", shown[FNR], $0; failed = 1 }
  }
  END {
    if (FNR != lines) { printf "%d lines are shown, %d were printed\n", lines, FNR; failed = 1 }
    exit failed
  }' shown printed || {
  cp printed "$build/tutorial.printed"
  exit 1
}
