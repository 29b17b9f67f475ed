#!/bin/bash
# dev_test.sh DEV BAZELRC DEBIAN_BZL DEPS: `./dev` on other systems, when warnings
# are errors, and the packages that `./dev check` installs.  DEPS is a query's list
# of what //cli:ggufcheck needs.
#
# SPDX-License-Identifier: Apache-2.0
set -u

dev=$PWD/$1 bazelrc=$2 table=$3 deps=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# Nothing may be installed or built.
mkdir "$work/bin"
for program in apt-get bazel dpkg-query sudo; do
  printf '#!/bin/sh\necho "%s $*" >>"%s/called"\nexit 1\n' "$program" "$work" >"$work/bin/$program"
done
# shellcheck disable=SC2016  # The stub expands them.
printf '#!/bin/sh\ncase $1 in -s) echo "$SYSTEM" ;; -m) echo "$MACHINE" ;; esac\n' >"$work/bin/uname"
chmod +x "$work"/bin/*

# advises SYSTEM MACHINE OS_RELEASE PATTERN
advises() {
  local output code=0 begin=$SECONDS
  printf '%s\n' "$3" >"$work/os-release"
  output=$(env PATH="$work/bin:$PATH" SYSTEM="$1" MACHINE="$2" HOME="$work" \
    GGUFCHECK_OS_RELEASE="$work/os-release" "$dev" check 2>&1) || code=$?
  ((code == 3)) || fail "$3: exit code $code"
  grep -Eq -- "$4" <<<"$output" || fail "$3: no line like $4 in: $output"
  [[ ! -e $work/called ]] || fail "$3: called $(cat "$work/called")"
  ((SECONDS - begin <= 1)) || fail "$3: took $((SECONDS - begin)) s"
}
advises Linux x86_64 $'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04"' \
  'ggufcheck_VERSION_amd64\.deb'
advises Linux aarch64 $'ID=ubuntu\nID_LIKE=debian' 'ggufcheck_VERSION_arm64\.deb'
advises Linux x86_64 $'ID=fedora\nPRETTY_NAME="Fedora Linux 43"' 'linux-x86_64\.tar\.gz'
advises Linux aarch64 'ID=alpine' 'linux-aarch64\.tar\.gz'
advises Linux x86_64 $'ID=debian\nVERSION_ID="11"' 'linux-x86_64|amd64\.deb'
advises Linux riscv64 'ID=fedora' 'docker run'
advises Darwin arm64 'ID=none' 'this is Darwin'

# A user's build has no errors that another compiler would not have.
printf '#!/bin/sh\necho installed\n' >"$work/bin/dpkg-query"
printf 'ID=debian\nVERSION_ID=12\n' >"$work/os-release"
# turns_warnings_into_errors VARIABLE=VALUE: whether `./dev check` does.
turns_warnings_into_errors() {
  rm -f "$work/called"
  env -u GGUFCHECK_WERROR PATH="$work/bin:$PATH" SYSTEM=Linux MACHINE=x86_64 HOME="$work" \
    GGUFCHECK_OS_RELEASE="$work/os-release" "$1" "$dev" check >"$work/output" 2>&1
  grep -q '^bazel build ' "$work/called" || fail "$1: nothing was built: $(cat "$work/output")"
  grep -q -- ' --config=werror ' "$work/called"
}
! turns_warnings_into_errors NONE=1 || fail "warnings stop a user's build"
turns_warnings_into_errors GGUFCHECK_WERROR=1 || fail "warnings are no errors in CI"
! grep -E '^(build|common) .*-Werror' "$bazelrc" || fail "warnings stop each build"

installed=$(sed -nE '/^_LIBRARIES = \{/,/^\}/ s/^ *"([a-z0-9_]+)": .*/\1/p' "$table" | sort)
needed=$(sed -nE 's/^@([a-z0-9_]+)\/\/.*/\1/p' "$deps" | grep -vE '^(bazel_tools|local_config|rules_)' | sort -u)
[[ -n $needed && $installed == "$needed" ]] ||
  fail "./dev check installs other libraries than its targets need: $(diff <(echo "$installed") <(echo "$needed"))"
! grep -q '\.py$' "$deps" || grep -q '^readonly build_packages=(.*\<python3\>' "$dev" ||
  fail "./dev check does not install python3, which its targets need: $(grep '\.py$' "$deps")"

exit "$((failures > 0))"
