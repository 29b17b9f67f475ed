#!/bin/sh
# install.sh VERSION SHA256 [DIRECTORY]: downloads ggufcheck for Linux unless it
# did so before, compares the archive's SHA-256 (SHA256SUMS of the release has
# it), and prints the path of the program.  GGUFCHECK_REPOSITORY names another
# repository on GitHub, GGUFCHECK_RELEASES another server.
#
# SPDX-License-Identifier: Apache-2.0
set -eu

fail() {
  echo "install.sh: $*" >&2
  exit 3
}

[ $# -ge 2 ] || fail "usage: install.sh VERSION SHA256 [DIRECTORY]"
version=$1 sum=$2 directory=${3:-$HOME/.ggufcheck}
machine=$(uname -m)
[ "$(uname -s)" = Linux ] || fail "there is a program for Linux only; this is $(uname -s)"
case $machine in
  x86_64 | aarch64) ;;
  arm64) machine=aarch64 ;;
  *) fail "there is a program for x86_64 and aarch64; this is $machine" ;;
esac

file=ggufcheck-$version-linux-$machine.tar.gz
[ -n "$sum" ] || fail "the SHA-256 of $file is missing; SHA256SUMS of the release has it"
repository=${GGUFCHECK_REPOSITORY:-OWNER/ggufcheck}
url=${GGUFCHECK_RELEASES:-https://github.com/$repository/releases/download}/v$version/$file
mkdir -p -- "$directory"
directory=$(cd -- "$directory" && pwd)
folder=$directory/$sum  # What is in it was compared.
program=$folder/ggufcheck-$version/bin/ggufcheck
if [ -x "$program" ]; then
  echo "$program"
  exit
fi
new=$(mktemp -d -- "$directory/new.XXXXXX")
trap 'rm -rf -- "$new"' EXIT
cd -- "$new"
if command -v curl >/dev/null; then
  curl -fsSL -o "$file" -- "$url" || fail "cannot download $url"
elif command -v wget >/dev/null; then
  wget -qO "$file" -- "$url" || fail "cannot download $url"
else
  fail "neither curl nor wget is installed"
fi
got=$(sha256sum <"$file")
if [ "${got%% *}" != "$sum" ]; then
  fail "$file has the SHA-256 ${got%% *}, expected $sum; nothing was installed"
fi
tar -xzf "$file"
rm -- "$file"
chmod 755 .
mv -T -- "$new" "$folder" 2>/dev/null || true  # Another run may have been first.
[ -x "$program" ] || fail "cannot write $folder"
echo "$program"
