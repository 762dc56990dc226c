#!/bin/sh
# Installs a finished build below a temporary folder, then builds and runs a project that knows
# nothing but find_package(vargp). Usage: consumer_test.sh CMAKE BUILD_TREE CONSUMER_PROJECT
set -eu
cmake=$1 tree=$2 project=$3
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$cmake" --install "$tree" --prefix "$place/prefix"
"$cmake" -S "$project" -B "$place/build" -G Ninja -D CMAKE_BUILD_TYPE=Release \
  -D CMAKE_PREFIX_PATH="$place/prefix"
"$cmake" --build "$place/build"
"$place/build/consumer"
"$place/prefix/bin/vargp" --help >/dev/null
