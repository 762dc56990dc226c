#!/bin/sh
# ./dev before any compiler runs: its verbs, what it installs, what it says when it cannot.
# The tools it calls are stand-ins that write down how they were called.
# Usage: front_door_test.sh SOURCE_DIR
# shellcheck disable=SC2016 # variables in quotes are the stand-ins'
set -eu
unset VARGP_PRESET
source=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
project=$place/project bin=$place/bin calls=$place/calls
mkdir -p "$project/build" "$bin"
cp "$source/dev" "$source/CMakePresets.json" "$project"

for tool in sh env dirname cat grep find mktemp rm tail sed sort awk xargs nproc; do
  ln -s "$(command -v "$tool")" "$bin/$tool"
done

# stand_in NAME [BODY]: a program that notes its arguments, then runs BODY.
stand_in() {
  printf '#!/bin/sh\necho "%s $*" >>"%s"\n%s\n' "$(basename "$1")" "$calls" "${2-}" >"$1"
  chmod +x "$1"
}

# All packages but these are installed, and the user has this id.
packages_missing() {
  stand_in "$bin/dpkg-query" "
    shift 3
    for p; do case ' $1 ' in *\" \$p \"*) ;; *) printf 'installed:%s ' \"\$p\" ;; esac; done"
}
user_id() { stand_in "$bin/id" "echo $1"; }

fresh() {
  rm -rf "$project/build" "$project/runs"
  mkdir "$project/build"
  rm -f "$bin/sudo"
  packages_missing ''
  user_id 1000
  stand_in "$bin/apt-get"
  stand_in "$bin/cmake"
  stand_in "$bin/ctest"
  stand_in "$project/build/vargp"
}

# dev ARG...: leaves the exit status in $status, what was said in $place/out, the calls in $calls.
dev() {
  : >"$calls"
  status=0
  PATH=$bin "$project/dev" "$@" >"$place/out" 2>&1 || status=$?
}

failures=0
expect() {
  what=$1
  shift
  if ! "$@" >/dev/null; then
    printf 'FAILED: %s\n  exit status %s, said:\n' "$what" "$status"
    sed 's/^/    /' "$place/out"
    printf '  called:\n'
    sed 's/^/    /' "$calls"
    failures=$((failures + 1))
  fi
}
said() { grep -F -e "$1" "$place/out"; }
called() { grep -x -e "$1" "$calls"; }
never_called() { ! grep -e "^$1 " "$calls"; }

fresh
dev help
expect 'help succeeds' [ "$status" -eq 0 ]
for verb in demo build test bench fuzz charts format lint help; do
  expect "help tells of $verb" said "./dev $verb"
done
dev
expect 'no verb shows the help' said './dev demo'
dev dance
expect 'an unknown verb fails with 2' [ "$status" -eq 2 ]
expect 'an unknown verb is named' said '"dance"'
expect 'an unknown verb shows the help' said './dev demo'

dev build --target core_test
expect 'build succeeds' [ "$status" -eq 0 ]
expect 'nothing missing: dpkg is asked once' [ "$(grep -c dpkg-query "$calls")" -eq 1 ]
expect 'nothing missing: apt is left alone' never_called apt-get
expect 'build passes arguments on' called 'cmake --build --preset release --target core_test'

dev test -R posterior
expect 'test switches the tests on' called 'cmake --preset release .*-D VARGP_TESTS=ON.*'
expect 'test passes arguments on' called 'ctest --preset release -R posterior'
VARGP_PRESET=asan dev test
expect 'another preset' called 'ctest --preset asan'

fresh
printf 'VARGP_TESTS:BOOL=ON\n' >"$project/build/CMakeCache.txt"
touch "$project/build/build.ninja"
dev test
expect 'a tree that is ready is not configured again' never_called 'cmake --preset'

fresh
packages_missing 'libfmt-dev libgtest-dev'
user_id 0
dev test
expect 'root installs what is missing and no more' called 'apt-get .* install libfmt-dev libgtest-dev'
expect 'says what it installs and why' said 'To test vargp, installing libfmt-dev libgtest-dev'
expect 'root needs no sudo' never_called sudo
expect 'and goes on' called 'ctest .*'
dev build
expect 'build does not ask for what only tests need' called 'apt-get .* install libfmt-dev'

user_id 1000
dev test
expect 'neither root nor sudo: fails' [ "$status" -eq 1 ]
expect 'neither root nor sudo: says what to do' said 'apt-get install libfmt-dev libgtest-dev'
expect 'neither root nor sudo: builds nothing' never_called cmake

stand_in "$bin/sudo" '"$@"'
dev test
expect 'sudo installs' called 'sudo .*apt-get .* install libfmt-dev libgtest-dev'
expect 'sudo is announced' said 'with sudo'

stand_in "$bin/apt-get" 'echo "E: no such package" >&2; exit 100'
dev test
expect 'apt fails: so does dev' [ "$status" -eq 1 ]
expect 'apt fails: its reason is shown' said 'E: no such package'
expect 'apt fails: says what it could not do' said 'could not install libfmt-dev libgtest-dev'

fresh
stand_in "$bin/cmake" 'case $1 in --preset) echo "CMake Error: no compiler" >&2; exit 1 ;; esac'
dev build
expect 'configuring fails: so does dev' [ "$status" -eq 1 ]
expect 'configuring fails: the reason is shown' said 'CMake Error: no compiler'

fresh
dev fuzz soon
expect 'fuzz without a number fails' [ "$status" -eq 1 ]
expect 'fuzz says what it needs' said 'fuzz needs a number of seconds'

fresh
dev demo
expect 'demo with MNIST' called 'vargp run split-mnist --preset quick --out runs/demo'
expect 'demo says where the report is' said '/project/runs/demo/report.html'
stand_in "$project/build/vargp" '[ "$1" = run ] || { echo "no way to the network" >&2; exit 1; }'
dev demo
expect 'demo without MNIST' called 'vargp run toy --out runs/demo'
expect 'demo says why' said 'no way to the network'

if [ "$failures" -gt 0 ]; then
  printf '%s expectations failed\n' "$failures"
  exit 1
fi
