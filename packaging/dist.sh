# shellcheck shell=bash
# `./dev dist`, `./dev cross`, `./dev test-dist` and `./dev test-debian`; sourced by
# dev.
# shellcheck disable=SC2154  # dev sets root.
#
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=packaging/library.sh
. "$root/packaging/library.sh"
# shellcheck source=packaging/wasm.sh
. "$root/packaging/wasm.sh"

readonly dist_packages=(binutils dpkg-dev git python3 xz-utils)
readonly -A debian_names=([x86_64]=amd64 [aarch64]=arm64 [s390x]=s390x)

# cross_prefix CPU: prints the prefix of its GNU tools.
cross_prefix() {
  [[ $1 == x86_64 ]] || printf '%s-linux-gnu-' "$1"
}

# need_cross CPU PACKAGE...: installs a cross compiler, and for that processor the
# packages that differ between processors.
need_cross() {
  local cpu=$1 debian=${debian_names[$1]} package packages=()
  shift
  ((EUID == 0)) || die "run as root, to install packages of other processors"
  if [[ " $(dpkg --print-foreign-architectures | tr '\n' ' ')" != *" $debian "* ]]; then
    say "dpkg --add-architecture $debian"
    dpkg --add-architecture "$debian"
    apt-get -q update >&2
  fi
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${Architecture}\n' "$package") == *all* ]] ||
      packages+=("$package:$debian")
  done
  need "g++-${cpu/_/-}-linux-gnu" "${packages[@]}"
}

# source_package NAME: downloads and unpacks the source of the installed version
# of a binary package, and prints its folder.
source_package() {
  local version folder list=$work/sources.list lists
  lists=(-o Dir::Etc::SourceList="$list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists")
  version=$(dpkg-query -W -f='${source:Package}=${source:Version}\n' "$1" | head -n 1)
  folder=$work/$version
  if ! compgen -G "$folder/*/" >/dev/null; then
    mkdir -p -- "$folder" "$work/lists/partial"
    # shellcheck disable=SC2016  # apt-get replaces them.
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
      'Identifier: Packages' | sort -u >"$list"
    (cd "$folder" && apt-get -q "${lists[@]}" update &&
      apt-get -q "${lists[@]}" source --only-source "$version") >&2 ||
      die "the source package $version cannot be downloaded from the mirrors of this machine"
  fi
  printf '%s\n' "$folder"/*/
}

# static_highway CPU: makes the library of Highway that Debian has only as a
# shared one, and prints its folder.
static_highway() {
  local out tools source
  tools=$(cross_prefix "$1")
  source=$(source_package libhwy-dev)
  out=$work/lib-$1-$(basename -- "$(dirname -- "$source")")-$("${tools}g++" -dumpfullversion)
  if [[ ! -e $out/libhwy.a ]]; then
    mkdir -p -- "$out"
    (cd "$source" && "${tools}g++" -std=c++17 -O2 -I. -ffile-prefix-map="$PWD=." \
      -c hwy/targets.cc -o "$out/targets.o" && "${tools}ar" rcsD "$out/libhwy.a" "$out/targets.o") ||
      die "Highway cannot be compiled for $1"
  fi
  printf '%s\n' "$out"
}

# static_program CPU FILE: builds the program as one static file.
static_program() {
  local tools highway config=(--config=static)
  highway=$(static_highway "$1") || die "there is no static library of Highway"
  [[ $1 == x86_64 ]] || config+=("--config=$1")
  tools=$(cross_prefix "$1")
  run_bazel gcc build --show_result=0 "${config[@]}" "--linkopt=-L$highway" \
    //cli:ggufcheck || die "the build for $1 failed"
  "${tools}strip" -o "$2" "$(run_bazel gcc info "${config[@]}" bazel-bin)/cli/ggufcheck"
}

# linked_packages: prints name, version and source of each package whose code
# the program or the module contains.
linked_packages() {
  mapfile -t linked < <(library_packages _LIBRARIES)
  dpkg-query -W -f='${binary:Package}\t${Version}\t${source:Package}\n' \
    "${linked[@]}" "${wasm_runtime[@]}" g++ libc6-dev "libstdc++-$(g++ -dumpversion)-dev" \
    "libgcc-$(g++ -dumpversion)-dev" |
    sed -nE '/^[^:\t]+:(arm64|s390x)\t/d; s/^([^:\t]+):amd64\t/\1\t/; p' | sort -u
}

dist() {
  local cpu programs=() work libraries
  (($# == 0)) || usage_error "dist accepts no arguments"
  [[ $(uname -m) == x86_64 ]] || die "dist runs on x86_64 only; it compiles for others"
  need_for_program "${dist_packages[@]}" "${wasm_packages[@]}"
  mapfile -t libraries < <(library_packages _LIBRARIES)
  need_cross aarch64 "${libraries[@]}"
  work=${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/dist
  mkdir -p -- "$work"
  for cpu in x86_64 aarch64; do
    static_program "$cpu" "$work/ggufcheck-$cpu"
    programs+=(--program "$cpu=$work/ggufcheck-$cpu")
    c_library "$cpu" "$work/library-$cpu"
    programs+=(--library "$cpu=$work/library-$cpu")
  done
  wasm_module "$work/ggufcheck.wasm"
  run_bazel gcc build --show_result=0 //cli:ggufcheck //cli:completions
  linked_packages >"$work/packages"
  cut -f1 "$work/packages" | sed 's/:.*//' | while read -r package; do
    printf '\n==== %s ====\n\n' "$package"
    cat -- "/usr/share/doc/$package/copyright"
  done >"$work/licenses"
  python3 "$root/packaging/make_dist.py" --out "$root/dist" "${programs[@]}" \
    --version "$("$root/bazel-bin/cli/ggufcheck" --version | cut -d' ' -f2)" \
    --time "$(git -c safe.directory="$root" -C "$root" log -1 --format=%ct)" \
    --owner "$owner" --module "$work/ggufcheck.wasm" \
    --host-program "$root/bazel-bin/cli/ggufcheck" \
    --completions "$root/bazel-bin/cli/completions" \
    --packages "$work/packages" --licenses "$work/licenses"
  (cd "$root/dist" && ls -l) >&2
}

# cross: compiles what a release is made of, and for s390x what is tested there.
# Objects take no libraries of other processors; the headers that differ between
# processors, all of OpenSSL, are this one's.  Kernels are optimized, without which
# gcc accepts calls that it cannot inline for Highway's targets.
cross() {
  local cpu targets failed=0
  (($# == 0)) || usage_error "cross accepts no arguments"
  [[ $(uname -m) == x86_64 ]] || die "cross runs on x86_64 only; it compiles for others"
  need_for_program g++-aarch64-linux-gnu g++-s390x-linux-gnu
  targets=$(run_bazel gcc query --notool_deps \
    'kind("cc_(binary|library)", deps(//cli:ggufcheck + //api:ggufcheck)) intersect //...')
  for cpu in aarch64 s390x; do
    announce "compiling for $cpu"
    # shellcheck disable=SC2086  # They are several.
    run_bazel gcc build --show_result=0 --keep_going --config="$cpu" --config=objects \
      --copt=-idirafter/usr/include/x86_64-linux-gnu $targets || failed=1
  done
  make_wasm
  ((failed == 0))
}

# Trying the files ----------------------------------------------------------------

readonly test_dist_packages=(debootstrap python3 python3-venv qemu-user-static)

# in_folder FOLDER COMMAND...: runs a command there.
in_folder() (
  cd -- "$1" || return
  shift
  "$@"
)

# tried WHAT COMMAND...: runs a command and says whether it succeeded.
tried() {
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then
    say "passed: $what"
  else
    say "FAILED: $what: $output"
    failed=1
  fi
}

# works PROGRAM...: whether a program accepts one example and rejects the other.
works() {
  local code=0
  "$@" check "$good" && { "$@" check "$bad" || code=$?; } && ((code == 1))
}

# debian RELEASE: makes a minimal Debian of this release, and prints its folder.
debian() {
  local folder=$work/debian-$1
  if [[ ! -e $folder/complete ]]; then
    rm -rf -- "$folder"
    debootstrap --variant=minbase "$1" "$folder" >&2 ||
      die "Debian $1 cannot be downloaded from the mirrors of this machine"
    touch "$folder/complete"
  fi
  printf '%s\n' "$folder"
}

# try_debian RELEASE: the archive without installation, and the package.
try_debian() {
  local folder good=/tmp/good.gguf bad=/tmp/bad.gguf
  folder=$(debian "$1")
  cp -- "$examples"/Example-1K-v1.0-F32.gguf "$folder$good"
  cp -- "$examples"/broken.gguf "$folder$bad"
  tar -xzf "$files"/ggufcheck-*-linux-x86_64.tar.gz -C "$folder/tmp" --strip-components=1
  cp -- "$files"/ggufcheck_*_amd64.deb "$folder/tmp/ggufcheck.deb"
  tried "$1: the program of the archive" works in_root "$folder" /tmp/bin/ggufcheck
  tried "$1: dpkg --install" in_root "$folder" dpkg --install /tmp/ggufcheck.deb
  tried "$1: the installed program" works in_root "$folder" ggufcheck
  tried "$1: dpkg --purge" in_root "$folder" dpkg --purge ggufcheck
  tried "$1: nothing is left" in_root "$folder" sh -c '! command -v ggufcheck'
}

try_empty_root() {
  local folder=$work/empty good=/good.gguf bad=/bad.gguf
  rm -rf -- "$folder"
  mkdir -p -- "$folder"
  cp -- "$examples"/Example-1K-v1.0-F32.gguf "$folder$good"
  cp -- "$examples"/broken.gguf "$folder$bad"
  tar -xzf "$files"/ggufcheck-*-linux-x86_64.tar.gz -C "$folder" --strip-components=1
  tried "an empty file system" works in_root "$folder" /bin/ggufcheck
  tried "https in an empty file system" python3 "$root/packaging/https_test.py" "$folder"
  tried "the start within 4 ms" python3 "$root/packaging/start_test.py" "$folder/bin/ggufcheck" \
    "$folder$good"
}

try_python() {
  local venv=$work/venv
  rm -rf -- "$venv"
  tried "a virtual environment" python3 -m venv "$venv"
  tried "pip install" "$venv/bin/pip" install --quiet --no-index \
    "$files"/ggufcheck-*"_$(uname -m).whl"
  tried "the wheel's command" works "$venv/bin/ggufcheck"
  tried "the corpus without ggufcheck" python3 "$root/packaging/corpus_archive_test.py" \
    "$files"/ggufcheck-corpus-*.tar.gz
}

# The fuzzing kit: its README's examples compile and find their bugs.
try_kit() {
  local folder=$work/kit
  rm -rf -- "$folder"
  mkdir -p -- "$folder"
  tar -xzf "$files"/ggufcheck-fuzz-kit-*.tar.gz -C "$folder" --strip-components=1
  tried "the fuzzing kit" in_folder "$folder" "$root/fuzz/kit/readme_test.sh" .
}

try_npm() {
  local folder=$work/npm version
  version=$("$root/bazel-bin/cli/ggufcheck" --version | cut -d' ' -f2)
  rm -rf -- "$folder"
  mkdir -p -- "$folder"
  tried "npm install" npm install --prefix "$folder" --no-audit --no-fund --offline \
    "$files/ggufcheck-$version.tgz" "$files/ggufcheck-linux-x64-$version.tgz"
  tried "npx" works in_folder "$folder" npx --no -- ggufcheck
}

# The WebAssembly module, which the command runs where npm finds no program.
try_npm_module() {
  local folder=$work/npm-module program=$work/npm/node_modules/ggufcheck-linux-x64/bin/ggufcheck
  rm -rf -- "$folder"
  mkdir -p -- "$folder/corpus"
  tried "npm install without a program" npm install --prefix "$folder" --no-audit --no-fund \
    --offline --omit=optional "$files"/ggufcheck-[0-9]*.tgz
  tried "npx without a program" works in_folder "$folder" npx --no -- ggufcheck
  tried "its reports are those of the program" python3 "$root/packaging/npm_module_test.py" \
    "$folder/node_modules/.bin/ggufcheck" "$program" "$good" "$bad"
  tar -xzf "$files"/ggufcheck-corpus-*.tar.gz -C "$folder/corpus" --strip-components=1
  tried "the program over the corpus" python3 "$root/api/wasm/program_reports.py" "$program" \
    "$folder/reports" "$folder/corpus"
  tried "the WebAssembly module over the corpus" node "$root/api/wasm/compare_test.mjs" \
    "$folder/node_modules/ggufcheck/wasm/ggufcheck.wasm" "$folder/reports"
}

# Programs for other processors, emulated.
try_emulated() {
  local good=$examples/Example-1K-v1.0-F32.gguf bad=$examples/broken.gguf
  mkdir -p -- "$work/aarch64"
  tar -xzf "$files"/ggufcheck-*-linux-aarch64.tar.gz -C "$work/aarch64" --strip-components=1
  tried "aarch64: the program" works qemu-aarch64-static "$work/aarch64/bin/ggufcheck"
  tried "aarch64: parser, kernels and golden corpus" run_tests gcc --config=aarch64 \
    --run_under=qemu-aarch64-static --test_lang_filters=cc --build_tests_only \
    //parser/... //kernels/... //conformance/golden/...
  tried "s390x (big endian): parser and kernels" run_tests gcc --config=s390x \
    --run_under=qemu-s390x-static --test_lang_filters=cc --build_tests_only \
    //parser/... //kernels/...
}

test_dist() {
  local files=$root/dist examples=$root/corpus/examples failed=0 work release
  local good=$examples/Example-1K-v1.0-F32.gguf bad=$examples/broken.gguf
  (($# == 0)) || usage_error "test-dist accepts no arguments"
  ((EUID == 0)) || die "test-dist must run as root, for chroot"
  need "${test_dist_packages[@]}"
  command -v npm >/dev/null || need nodejs npm
  need_for_library_tests
  need_for_build
  need_cross aarch64 libgmock-dev libgtest-dev
  need_cross s390x libabsl-dev libgmock-dev libgtest-dev libhwy-dev libxxhash-dev
  work=${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/test-dist
  [[ -e $files/SHA256SUMS ]] || die "there is no dist/SHA256SUMS; run ./dev dist first"
  mkdir -p -- "$work"
  # shellcheck disable=SC2016  # The inner shell expands it.
  tried "SHA256SUMS" sh -c 'cd "$0" && sha256sum --quiet -c SHA256SUMS' "$files"
  try_empty_root
  for release in bullseye bookworm trixie; do
    try_debian "$release"
    try_debian_python "$release"
  done
  try_library
  try_python
  try_module
  try_kit
  try_npm
  try_npm_module
  try_node
  try_emulated_library
  try_emulated
  ((failed == 0))
}

# Trying the source ---------------------------------------------------------------

# copy_source FOLDER: copies what git tracks or would track.
copy_source() {
  mkdir -p -- "$1"
  git -c safe.directory="$root" -C "$root" ls-files -z --cached --others --exclude-standard |
    tar -C "$root" --null --ignore-failed-read -T - -cf - | tar -C "$1" -xf -
}

# test_debian: builds and tests the source in a new minimal system of the Debian
# release that this machine does not have.  A failed one is kept.
test_debian() {
  local release=trixie folder
  (($# == 0)) || usage_error "test-debian accepts no arguments"
  ((EUID == 0)) || die "test-debian must run as root, for chroot"
  need debootstrap git
  ! grep -qx 'VERSION_CODENAME=trixie' /etc/os-release || release=bookworm
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/test-debian
  rm -rf -- "$folder"
  debootstrap --variant=minbase "$release" "$folder" >&2 ||
    die "Debian $release cannot be downloaded from the mirrors of this machine"
  copy_source "$folder/src"
  # With CI, Bazel's server ends.
  in_root "$folder" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin CI=1 GGUFCHECK_WERROR=1 \
    bash -c 'cd /src && ./dev check && ./dev test' || { say "FAILED: $release, in $folder"; return 1; }
  rm -rf -- "$folder"
}
