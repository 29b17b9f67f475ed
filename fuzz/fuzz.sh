# shellcheck shell=bash
# `./dev fuzz`: runs the fuzz targets, keeps their inputs, and makes regressions of
# crashes; sourced by dev.
# shellcheck disable=SC2154  # dev sets root and clang.
#
# SPDX-License-Identifier: Apache-2.0

readonly fuzz_packages=("libfuzzer-$clang-dev")
readonly coverage_packages=("llvm-$clang")

# crash_name LOG: prints the kind of failure in a sanitizer's report and our
# function in which it occurred; nothing if there is no report.
crash_name() {
  local kind place
  kind=$(sed -nE 's/^SUMMARY: [A-Za-z]+: (deadly signal|[A-Za-z-]+).*/\1/p' "$1" | head -n 1)
  [[ $kind != "deadly signal" ]] || kind=signal
  place=$(sed -nE 's/\(anonymous namespace\):://; s|^ *#[0-9]+ 0x[0-9a-f]+ in ([A-Za-z0-9_:]+).* /proc/self/cwd/.*|\1|p' "$1" |
    grep -vE '(^|::)(Check|Require|Assert)$' | head -n 1) || true
  [[ -z $kind ]] || tr -cs 'A-Za-z0-9_\n' - <<<"$kind${place:+-in-$place}"
}

# keep_crash NAME FILE FOLDER COMMAND...: makes a file on which a target fails a
# regression, named after the sanitizer's report when the command reads it alone,
# and disassembles it if it is a GGUF file.
keep_crash() {
  local name=$1 file=$2 folder=$3 log=$3/crash.log what kept text number=1
  shift 3
  "$@" "$file" >"$log" 2>&1 || true
  what=$(crash_name "$log")
  [[ -n $what ]] || what=not-again-$(basename -- "${file%-*}")
  kept=$root/fuzz/regressions/$name/$what
  while [[ -e $kept ]]; do kept=$root/fuzz/regressions/$name/$what-$((++number)); done
  text=$folder/${kept##*/}.gguft
  mkdir -p -- "${kept%/*}"
  mv -- "$file" "$kept"
  say "FAILED: $name on ${kept#"$root/"}; rename the file after its fault, and review:"
  grep -E '^SUMMARY|runtime error|ERROR: ' "$log" | head -n 3 >&2 || true
  if [[ $(head -c 4 -- "$kept" | tr -d '\0') == GGUF ]] &&
    run_bazel gcc build --show_result=0 //cli:ggufcheck &&
    "$root/bazel-bin/cli/ggufcheck" corpus disassemble "$kept" >"$text"; then
    say "a draft of a case for corpus/cases: $text"
  fi
}

# fuzz_one NAME SECONDS JOBS: fuzzes from the minimised inputs of earlier runs and
# the target's seeds.  Fails if the target does.
fuzz_one() {
  local name=$1 seconds=$2 jobs=$3 program limits=() flags=() code=0 file found=0
  local folder=${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/fuzz/$1
  program=$(run_bazel "clang-$clang" info --config=fuzz bazel-bin)/fuzz/$name
  rm -rf -- "$folder/seeds" "$folder/crashes" "$folder/merged"
  mkdir -p -- "$folder/corpus" "$folder/crashes" "$folder/merged"
  run_bazel "clang-$clang" run --config=fuzz --show_result=0 "//fuzz:${name}_test" -- \
    --copy-to "$folder/seeds" >/dev/null

  limits=(-timeout=10 -rss_limit_mb=2048)
  # Weighing inputs by the rarity of their features would take a third of the time.
  flags=(-entropic=0 -max_total_time="$seconds" -print_final_stats=1
    -artifact_prefix="$folder/crashes/")
  ((jobs == 1)) || flags+=(-fork="$jobs" -ignore_crashes=0)
  # Recording where memory was allocated would take half the time, and memory
  # that is not in the cache a fifth.
  ASAN_OPTIONS=malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:detect_stack_use_after_return=0 \
    "$program" "${limits[@]}" "${flags[@]}" "$folder/corpus" "$folder/seeds" \
    >"$folder/log" 2>&1 || code=$?
  for file in "$folder"/crashes/*; do
    [[ -e $file ]] || continue
    UBSAN_OPTIONS=print_stacktrace=1 keep_crash "$name" "$file" "$folder" \
      "$program" "${limits[@]}" -artifact_prefix="$folder/"
    found=1
  done
  if ((code != 0 && found == 0)); then
    tail -n 5 -- "$folder/log" >&2
    say "FAILED: $name; see $folder/log"
  fi
  # A corpus with crashes cannot be minimised.
  if ((code == 0)) && "$program" -merge=1 -artifact_prefix="$folder/crashes/" \
    "$folder/merged" "$folder/corpus" "$folder/seeds" >"$folder/merge.log" 2>&1; then
    rm -rf -- "$folder/corpus"
    mv -- "$folder/merged" "$folder/corpus"
  fi
  fuzz_numbers "$name" "$folder"
  ((code == 0))
}

# fuzz_numbers NAME FOLDER: prints the statistics of the last run.
fuzz_numbers() {
  local last executions rate edges
  last=$(grep -E '^#[0-9]+' "$2/log" | tail -n 1)
  executions=$(sed -nE 's/^stat::number_of_executed_units: *//p' "$2/log" | tail -n 1)
  rate=$(sed -nE 's/^stat::average_exec_per_sec: *//p' "$2/log" | tail -n 1)
  edges=$(sed -nE 's/.* cov: ([0-9]+).*/\1/p' <<<"$last")
  [[ -n $executions ]] || executions=$(sed -nE 's/^#([0-9]+).*/\1/p' <<<"${last%%:*}")
  [[ -n $rate ]] || rate=$(sed -nE 's/.*exec\/s:? *([0-9]+).*/\1/p' <<<"$last")
  printf '%s: %s executions, %s/s, %s edges covered, %s files kept\n' "$1" \
    "${executions:-0}" "${rate:-?}" "${edges:-?}" "$(find "$2/corpus" -type f | wc -l)"
}

# reach_of NAME: runs a target's kept inputs, seeds and regressions in a build
# that counts lines, and prints how many of the linked lines they reach.
reach_of() {
  local name=$1 folder=${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/fuzz/$1 program
  program=$(run_bazel "clang-$clang" info --config=coverage bazel-bin)/fuzz/${name}_test
  mkdir -p -- "$folder/corpus"
  LLVM_PROFILE_FILE=$folder/lines.profraw run_bazel "clang-$clang" run \
    --config=coverage --show_result=0 "//fuzz:${name}_test" -- "$folder/corpus" \
    >"$folder/lines.log" 2>&1 ||
    die "FAILED: $name; see $folder/lines.log"
  "llvm-profdata-$clang" merge --sparse "$folder/lines.profraw" -o "$folder/lines.profdata"
  "llvm-cov-$clang" report "$program" --instr-profile="$folder/lines.profdata" |
    reached_lines "$name"
}

# reached_lines NAME: adds up llvm-cov's report by folder; its 8th and 9th columns
# are the lines of a file and those not reached.
reached_lines() {
  awk -v name="$1" '
    /^(parser|kernels|corpus|conformance)\// {
      split($1, path, "/")
      part = path[1] "/" (path[1] == "conformance" ? path[2] "/" : "")
      if (!(part in lines)) parts[++count] = part
      lines[part] += $8
      missed[part] += $9
    }
    END {
      printf "%s: reached", name
      for (i = 1; i <= count; ++i) {
        part = parts[i]
        printf "%s %.1f %% of %d lines of %s", i == 1 ? "" : ",",
               100 * (1 - missed[part] / lines[part]), lines[part], part
      }
      print ""
    }'
}

# is_number TEXT: whether it is a positive number of at most seven digits.
is_number() { [[ $1 =~ ^[1-9][0-9]{0,6}$ ]]; }

# build_fuzzers: links the targets and those of the kit with libFuzzer, from the
# objects of `./dev clang`.
build_fuzzers() {
  local targets
  need_for_build "${clang_packages[@]}" "${fuzz_packages[@]}"
  targets=$(run_bazel "clang-$clang" query \
    'attr(linkopts, "-fsanitize=fuzzer", kind(cc_binary, //fuzz/...))')
  announce building
  # shellcheck disable=SC2086  # They are several.
  run_bazel "clang-$clang" build --config=clang --output_groups=default --show_result=0 \
    --linkopt=-fuse-ld=bfd --nostart_end_lib $targets
}

fuzz() {
  local name='' seconds=60 jobs=1 coverage=0 all target failed=0 targets=()
  [[ $* != --build ]] || { build_fuzzers; return; }
  while (($#)); do
    case "$1" in
      --coverage) coverage=1 ;;
      --seconds | --jobs)
        is_number "${2-}" || usage_error "$1 requires a positive number"
        printf -v "${1#--}" %s "$2"
        shift
        ;;
      -*) usage_error "fuzz: unknown flag $1" ;;
      *) name=${1%_fuzzer} ;;
    esac
    shift
  done
  need_for_build "${clang_packages[@]}" "${fuzz_packages[@]}"
  all=$(run_bazel "clang-$clang" query 'attr(tags, "\bfuzzer\b", kind(cc_binary, //fuzz:all))')
  for target in $all; do
    [[ -n $name && $target != "//fuzz:${name}_fuzzer" ]] || targets+=("${target#//fuzz:}")
  done
  ((${#targets[@]})) || usage_error "unknown target \"$name\"; available: ${all//$'\n'/ }"
  if ((coverage)); then
    need "${coverage_packages[@]}"
    announce building
    targets=("${targets[@]/#///fuzz:}")
    run_bazel "clang-$clang" build --config=coverage --show_result=0 "${targets[@]/%/_test}"
    for target in "${targets[@]}"; do reach_of "${target#//fuzz:}"; done
    return
  fi
  announce building
  run_bazel "clang-$clang" build --config=fuzz --show_result=0 "${targets[@]/#///fuzz:}"
  for target in "${targets[@]}"; do
    say "$target, $seconds s"
    fuzz_one "$target" "$seconds" "$jobs" || failed=1
  done
  ((failed == 0))
}
