# shellcheck shell=bash
# The C library for `./dev dist`, and its tests for `./dev test-dist`; sourced by
# dist.sh.
# shellcheck disable=SC2154  # dev and dist.sh set root, work, files, good and bad.
#
# SPDX-License-Identifier: Apache-2.0

# Sources whose objects in Debian's static libraries cannot be part of a shared
# library: package, files.
readonly pic_sources=(
  "libabsl-dev absl/base/internal/sysinfo.cc absl/container/internal/raw_hash_set.cc
    absl/strings/internal/cordz_functions.cc absl/strings/internal/str_format/parser.cc"
  "libhwy-dev hwy/targets.cc"
  "libre2-dev re2/*.cc util/rune.cc util/strutil.cc"
)

# pic_objects CPU: compiles them for shared libraries, and prints the object.
pic_objects() {
  local out=$work/pic-$1 tools line package files source
  if [[ ! -e $out/pic.o ]]; then
    tools=$(cross_prefix "$1")
    mkdir -p -- "$out"
    for line in "${pic_sources[@]}"; do
      read -r -d '' package files <<<"$line" || true
      source=$(source_package "$package") || return
      mkdir -p -- "$out/$package"
      # shellcheck disable=SC2086  # They are several patterns.
      (cd "$source" && for file in $files; do
        "${tools}g++" -std=c++17 -O2 -w -fPIC -ffunction-sections -fdata-sections -I. \
          -ffile-prefix-map="$PWD=." -c "$file" -o "$out/$package/$(basename -- "$file" .cc).o" ||
          exit 1
      done) || die "$package cannot be compiled for $1"
    done
    "${tools}ld" -r -o "$out/pic.o" "$out"/*/*.o
  fi
  printf '%s\n' "$out/pic.o"
}

# c_library CPU FOLDER: builds the static and the shared library.
c_library() {
  local highway pic built config=(--config=library)
  highway=$(static_highway "$1") || die "there is no static library of Highway"
  pic=$(pic_objects "$1") || die "there are no objects for the shared library"
  [[ $1 == x86_64 ]] || config+=("--config=$1")
  run_bazel gcc build --show_result=0 "${config[@]}" "--linkopt=-L$highway" \
    "--linkopt=$pic" //api:library || die "the build of the library for $1 failed"
  built=$(run_bazel gcc info "${config[@]}" bazel-bin)/api/library
  mkdir -p -- "$2"
  install -m 644 -- "$built/libggufcheck.a" "$built/libggufcheck.so.0" "$2"
}

# Trying the files ----------------------------------------------------------------

need_for_library_tests() {
  need cmake make pkg-config
}

# exports_only HEADER NM_FLAG FILE: whether a library has the functions of the
# header and nothing else.
exports_only() {
  diff <(grep -oE 'ggufcheck_[a-z_]+\(' "$1" | tr -d '(' | sort -u) \
    <(nm "$2" --defined-only "$3" | sed -nE 's/^[0-9a-f]+ [^ ] //p' | sort -u)
}

# needs_only_libc FILE
needs_only_libc() {
  ! readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' |
    grep -vE '^(libc|libm)\.so\.6$|^ld-linux'
}

# compiled OUT SOURCE FLAG...: compiles a C program, runs it with both examples.
compiled() {
  local out=$1 source=$2
  shift 2
  cc -std=c99 -D_POSIX_C_SOURCE=200809L -o "$out" "$source" "$@" && "$out" "$good" "$bad"
}

# judges PROGRAM: whether it accepts one example and rejects the other.
judges() {
  local code=0
  "$1" "$good" && { "$1" "$bad" || code=$?; } && ((code == 1))
}

try_library() {
  local folder=$work/library header test=$root/api/c_test.c
  rm -rf -- "$folder"
  mkdir -p -- "$folder/include"
  tar -xzf "$files"/ggufcheck-*-linux-x86_64.tar.gz -C "$folder" --strip-components=1
  ln -s . "$folder/include/api"  # The tests include api/ggufcheck.h.
  header=$folder/include/ggufcheck.h
  tried "the symbols of libggufcheck.a" exports_only "$header" -g "$folder/lib/libggufcheck.a"
  tried "the symbols of libggufcheck.so.0" exports_only "$header" -D "$folder/lib/libggufcheck.so.0"
  tried "libggufcheck.so.0 needs the C library only" needs_only_libc "$folder/lib/libggufcheck.so.0"
  tried "C with libggufcheck.a" compiled "$folder/static" "$test" -I"$folder/include" \
    "$folder/lib/libggufcheck.a" -lstdc++ -lm -lpthread
  tried "C with libggufcheck.so.0" compiled "$folder/shared" "$test" -I"$folder/include" \
    "$folder/lib/libggufcheck.so.0" -Wl,-rpath,"$folder/lib"
  # shellcheck disable=SC2046  # They are several flags.
  tried "C with pkg-config" compiled "$folder/configured" "$root/api/threads_test.c" \
    $(PKG_CONFIG_PATH=$folder/lib/pkgconfig pkg-config --cflags --libs ggufcheck)
  tried "cmake" in_folder "$root/examples/cmake" sh -c "cmake -B '$folder/build' \
    -DCMAKE_PREFIX_PATH='$folder' && cmake --build '$folder/build'"
  tried "the program of the CMake example" judges "$folder/build/check_model"
}

# compiled_for_aarch64 OUT FLAG...: the same for aarch64, emulated.
compiled_for_aarch64() {
  local out=$1
  shift
  aarch64-linux-gnu-gcc -std=c99 -D_POSIX_C_SOURCE=200809L -o "$out" "$root/api/c_test.c" "$@" &&
    qemu-aarch64-static -L /usr/aarch64-linux-gnu "$out" "$good" "$bad"
}

try_emulated_library() {
  local folder=$work/library-aarch64
  rm -rf -- "$folder"
  mkdir -p -- "$folder/include"
  tar -xzf "$files"/ggufcheck-*-linux-aarch64.tar.gz -C "$folder" --strip-components=1
  ln -s . "$folder/include/api"
  tried "aarch64: C with libggufcheck.a" compiled_for_aarch64 "$folder/static" \
    -I"$folder/include" "$folder/lib/libggufcheck.a" -lstdc++ -lm -lpthread -static
  tried "aarch64: C with libggufcheck.so.0" compiled_for_aarch64 "$folder/shared" \
    -I"$folder/include" "$folder/lib/libggufcheck.so.0" -Wl,-rpath,"$folder/lib"
}

# The tests of the Python module, over the corpus.
try_module() {
  local venv=$work/venv corpus=$work/corpus program=$work/venv/bin/ggufcheck
  rm -rf -- "$corpus"
  mkdir -p -- "$corpus"
  tar -xzf "$files"/ggufcheck-corpus-*.tar.gz -C "$corpus" --strip-components=1
  tried "the shared library in Python" "$venv/bin/python" -c \
    'import ggufcheck; assert type(ggufcheck._backend()).__name__ == "Library"'
  # shellcheck disable=SC2016  # The inner shell expands them.
  tried "the Python module, by library and program" sh -c \
    'find "$0" -name "*.gguf" -size -100k | head -n 300 | xargs "$@"' "$corpus" \
    "$venv/bin/python" "$root/api/python/module_test.py" "$program" "$good" "$bad"
  tried "the upload server" "$venv/bin/python" "$root/examples/upload_server_test.py" \
    "$root/examples/upload_server.py" "$good" "$bad"
}

# try_debian_python RELEASE: the module with the Python of a Debian release, in a
# folder that debian() made.
try_debian_python() {
  local folder
  folder=$(debian "$1")
  tried "$1: python3" in_root "$folder" sh -c \
    'command -v python3 || { apt-get -q update && apt-get -q -y install --no-install-recommends python3; }'
  rm -rf -- "$folder/tmp/module"
  mkdir -p -- "$folder/tmp/module"
  python3 -m zipfile -e "$files"/ggufcheck-*_x86_64.whl "$folder/tmp/module"
  cp -- "$root/api/python/module_test.py" "$folder/tmp"
  tried "$1: the Python module" in_root "$folder" python3 /tmp/module_test.py \
    --module /tmp/module /tmp/bin/ggufcheck /tmp/good.gguf /tmp/bad.gguf
}

# The example for Node, with the program that npm installed.
try_node() {
  tried "the example for Node" judges_in_node
}

judges_in_node() {
  local code=0 check=(node "$root/examples/check_models.mjs" "$work/npm/node_modules/.bin/ggufcheck")
  "${check[@]}" "$good" && { "${check[@]}" "$bad" || code=$?; } && ((code == 1))
}
