#!/bin/sh
# Makes the samples of the current format version: make.sh VARGP. Once released, they stay as they are.
set -eu
vargp=$(realpath "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
awk 'BEGIN {
  srand(1)
  print "x,city,kind,y" > "'"$work"'/one.csv"
  print "x,city,kind,y" > "'"$work"'/two.csv"
  for (i = 0; i < 120; ++i) {
    x = 10 * rand(); oslo = rand() < 0.5
    kind = x < 3 ? "low" : x < 6 ? "middle" : "high"
    file = x < 6 ? "one" : "two"
    printf "%.3f,%s,%s,%.3f\n", x, oslo ? "Oslo" : "Rome", kind,
           sin(x) + oslo + 0.1 * rand() > ("'"$work"'/" file ".csv")
  }
}'
printf 'x,city\n0.5,Oslo\n3,Rome\n4.2,Oslo\n7.7,Rome\n25,Oslo\n' >rows.csv
# sample NAME [OPTION...]
sample() {
  name=$1
  shift
  rm -f "$name.vargp"
  "$vargp" learn "$name.vargp" "$work/one.csv" --inducing 10 "$@"
  "$vargp" learn "$name.vargp" "$work/two.csv"
  "$vargp" predict "$name.vargp" rows.csv >"$name.csv"
  rm -f "$name.vargp.lock"
}
sample classifier-1 --label kind --ignore y
sample regression-1 --label y --regression --ignore kind
sample var-gp-1 --label kind --ignore y --model var-gp --likelihood softmax --epochs 5
