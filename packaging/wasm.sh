# shellcheck shell=bash
# `./dev wasm`; sourced by dist.sh.
# shellcheck disable=SC2154  # dev and dist.sh set root and clang.
#
# SPDX-License-Identifier: Apache-2.0

# Packages whose code the module contains, besides the libraries of the program.
readonly wasm_runtime=("libc++-$clang-dev-wasm32" "libc++abi-$clang-dev-wasm32"
  "libclang-rt-$clang-dev-wasm32" wasi-libc)
readonly wasm_packages=("${wasm_runtime[@]}" "clang-$clang" "lld-$clang" "llvm-$clang" unicode-data
  dpkg-dev perl python3 python3-six)

# Sources of the libraries that the module contains: library, package, folders
# or files.
readonly wasm_sources=(
  "absl libabsl-dev absl/base absl/container absl/hash absl/numeric absl/status absl/strings absl/types"
  "hwy libhwy-dev hwy/targets.cc"
  "re2 libre2-dev re2 util/rune.cc util/strutil.cc"
  "xxhash libxxhash-dev xxhash.c"
)

# make_re2_tables: makes what RE2's source package leaves to its build, with
# Debian's Python, whose packages `need` installs.
make_re2_tables() {
  local name maker
  for name in perl_groups unicode_casefold unicode_groups; do
    [[ ! -e re2/$name.cc ]] || continue
    case $name in
      perl_groups) maker=(perl "make_$name.pl") ;;
      *) maker=(/usr/bin/python3 "make_$name.py") ;;
    esac
    in_folder re2 "${maker[@]}" >"re2/$name.part" && mv -- "re2/$name.part" "re2/$name.cc" || return
  done
}

# wasm_libraries: compiles them, and prints their folder, which is named after
# the versions of what it was made from.
wasm_libraries() {
  local out line name package files source versions
  # shellcheck disable=SC2016  # dpkg-query replaces them.
  versions=$(dpkg-query -W -f='${Package}=${Version}\n' "${wasm_packages[@]}" \
    libabsl-dev libhwy-dev libre2-dev libxxhash-dev | sha256sum)
  out=$work/wasm-${versions::16}
  for line in "${wasm_sources[@]}"; do
    read -r name package files <<<"$line"
    [[ ! -e $out/lib$name.a ]] || continue
    source=$(source_package "$package") || return
    mkdir -p -- "$out/$name"
    (
      cd "$source"
      [[ $name != re2 ]] || make_re2_tables || exit
      # shellcheck disable=SC2016,SC2086  # The inner shell expands; several paths.
      find $files -name '*.c*' ! -name '*test*' ! -name '*benchmark*' ! -name '*mock*' \
        ! -path '*/testing/*' ! -path '*/fuzzing/*' ! -name 'hashtablez*' \
        ! -name thread_identity.cc ! -name low_level_alloc.cc ! -name sysinfo.cc -print0 |
        xargs -0 -P "$(nproc)" -I FILE sh -c '"$0" --target=wasm32-wasi -std=c++17 -O2 -w \
          -fno-exceptions -DNDEBUG -DHWY_COMPILE_ONLY_SCALAR -D_WASI_EMULATED_MMAN \
          -D_WASI_EMULATED_SIGNAL -ffunction-sections -fdata-sections -I. -isystem "$1" \
          -ffile-prefix-map="$PWD=." -c "$3" -o "$2/$(echo "$3" | tr / _).o"' \
          "clang++-$clang" "$root/third_party/cross/wasm" "$out/$name" FILE
    ) || die "$package cannot be compiled for WebAssembly"
    "llvm-ar-$clang" rcsD "$out/lib$name.a" "$out/$name"/*.o
  done
  printf '%s\n' "$out"
}

# wasm_module FILE: builds the module.
wasm_module() {
  local libraries config=(--config=wasm)
  libraries=$(wasm_libraries) || die "there are no libraries for WebAssembly"
  run_bazel gcc build --show_result=0 "${config[@]}" "--linkopt=-L$libraries" //api/wasm:ggufcheck.wasm ||
    die "the build of the WebAssembly module failed"
  install -D -m 644 -- \
    "$(run_bazel gcc info "${config[@]}" bazel-bin)/api/wasm/ggufcheck.wasm" "$1"
}

wasm() {
  (($# == 0)) || usage_error "wasm accepts no arguments"
  make_wasm
}

make_wasm() {
  local work=${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/dist
  need_for_program "${wasm_packages[@]}"
  mkdir -p -- "$work"
  wasm_module "$root/dist/ggufcheck.wasm"
  ls -l -- "$root/dist/ggufcheck.wasm" >&2
}
