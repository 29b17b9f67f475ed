# shellcheck shell=bash
# `./dev keep-up`: brings the tables up to the newest llama.cpp; sourced by dev.
# shellcheck disable=SC2154  # dev sets root, and install_* set modules and unstable.
#
# SPDX-License-Identifier: Apache-2.0

readonly keep_up_here=$root/conformance/external/keep_up

# What a new row changes: its rules, cases, seeds and documents.
readonly keep_up_tests=(//conformance/... //corpus/... //docs/... //fuzz/kit/... //parser/...)

# keep_up [names | learn FOLDER NAME... | write FOLDER [NAME...] | conditions FOLDER [NAME...]
#         | compare FOLDER [FLAG...]]
# keep_up [--without LOADER]...
keep_up() {
  local modules step=${1-} folder=${2-}
  need python3 python3-numpy
  if [[ -z $step || $step == --* ]]; then
    keep_up_all "$@"
    return
  fi
  [[ $step == names || ($step =~ ^(learn|write|conditions|compare)$ && -n $folder) ]] ||
    usage_error "keep-up needs names, learn FOLDER NAME..., write FOLDER, conditions FOLDER, compare FOLDER or nothing"
  if [[ $step == write ]]; then  # Needs no loader.
    keep_up_python write_architectures "${@:2}"
    return
  fi
  install_wasm_loader || die "npm install failed; llama.cpp is missing"
  shift
  case $step in
    names) keep_up_python list_names "$modules" ;;
    learn) keep_up_python learn_architectures --tables "$modules" "$@" ;;
    conditions)
      build //conformance/golden:tiny_models || die "the build failed; nothing was learnt"
      keep_up_python learn_conditions --write "$root/bazel-bin/conformance/golden/tiny_models" "$modules" "$@"
      ;;
    compare)
      build //cli:ggufcheck //conformance/golden:tiny_models || die "the build failed; nothing was compared"
      keep_up_python compare_predictions "${@:2}" "$root/bazel-bin/cli/ggufcheck" \
        "$root/bazel-bin/conformance/golden/tiny_models" "$modules" "$folder"
      ;;
  esac
}

# keep_up_python SCRIPT ARGUMENT...: Debian's Python has Debian's NumPy.
keep_up_python() { /usr/bin/python3 "$keep_up_here/$1.py" "${@:2}"; }

# Everything, unattended.  A loader that cannot be had is left out.
keep_up_all() {
  local modules unstable wasm='' npm='' debian='' without=' ' work names learnt failed=0 older=()
  while (($#)); do
    [[ $1 == --without && ${2-} =~ ^(wasm|npm|debian)$ ]] || usage_error "keep-up accepts --without wasm, npm or debian"
    without+="$2 "
    shift 2
  done
  work=${XDG_CACHE_HOME:-$HOME/.cache}/ggufcheck/keep-up
  names=$work/names.json learnt=$work/learnt
  rm -rf -- "$work"
  mkdir -p -- "$learnt"
  exec 3>"$work/report.md"

  say "loaders"
  if [[ $without != *" wasm "* ]] && install_wasm_loader; then wasm=$modules; fi
  if [[ $without != *" npm "* ]] && install_loader; then npm=$modules; fi
  if [[ $without != *" debian "* ]] && install_debian; then debian=$unstable; fi
  [[ -n $wasm$npm$debian ]] || die "there is no llama.cpp: npm and Debian unstable cannot be reached"
  older=(${debian:+--older "$debian"} ${npm:+--older "$npm"})
  build //conformance/external:run_models || die "the build failed; nothing was learnt"

  [[ -n $npm ]] || echo "- There is no native llama.cpp of npm." >&3
  [[ -n $debian ]] || echo "- There is no llama.cpp of Debian unstable." >&3
  if [[ -n $wasm ]]; then
    keep_up_learn || failed=1
  else
    echo "- There is no WebAssembly module: nothing was learnt, and the tables are as before." >&3
  fi
  [[ -z $wasm ]] || keep_up_conditions || failed=1
  [[ -z $debian ]] || keep_up_projectors || failed=1
  [[ -z $debian ]] || keep_up_usual || failed=1
  keep_up_cases || failed=1
  keep_up_compare || failed=1
  say "tests"
  run_tests gcc "${keep_up_tests[@]}" >"$work/tests.log" || failed=1
  printf '\n## Tests\n\n    %s\n' "$(tail -n 1 "$work/tests.log")" >&3
  exec 3>&-
  cat -- "$work/report.md"
  say "review the working tree; this report is $work/report.md"
  return "$failed"
}

# Learns all architectures, with a process for each processor, and writes the rows.
keep_up_learn() {
  local job jobs=() code=0 version oldest=${npm:-$debian}
  say "names"
  keep_up_python list_names "$wasm" >"$names" || return
  say "learning (an hour; see $work)"
  for ((job = 0; job < $(nproc); ++job)); do
    python3 -c 'import json, sys; print(*json.load(open(sys.argv[1]))["architectures"][int(sys.argv[2])::int(sys.argv[3])], sep="\n")' \
      "$names" "$job" "$(nproc)" |
      xargs /usr/bin/python3 "$keep_up_here/learn_architectures.py" --tables \
        ${oldest:+--older "$oldest"} "$wasm" "$learnt" >"$work/learn-$job.log" 2>&1 &
    jobs+=($!)
  done
  wait "${jobs[@]}" || true  # Some names are not of models that load.
  say "rows"
  version=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["build"])' "$names")
  keep_up_python write_architectures "$learnt" >"$work/architectures.log" || code=1
  keep_up_python write_names "${older[@]}" "$wasm" "$names" >"$work/names.log" || code=1
  keep_up_python write_release ${debian:+--debian "$debian"} "$version" >"$work/release.log" || code=1
  {
    printf '# llama.cpp %s\n\n## Written\n\n' "$version"
    sed -n 's/^[^? ].*/    &/p' "$work/names.log" "$work/release.log"
    printf '\n## Architectures: what was never varied, and differences\n\n'
    sed 's/^/    /' "$work/architectures.log"
    printf '\n## For a person\n\n'
    sed -n 's/^? /- /p' "$work/names.log"
    grep -h "^Traceback" -A 30 "$work"/*.log | sed 's/^/    /'
  } >&3
  return "$code"
}

# Learns which conditions of graphs hold for the architectures whose files changed.
keep_up_conditions() {
  local folder=$work/models tiny=$root/bazel-bin/conformance/golden/tiny_models names=()
  mapfile -t names < <(git -C "$root" status --porcelain -- conformance/tables/architectures |
    sed -n 's,.*/architectures/\([^/]*\)\.tsv$,\1,p')
  ((${#names[@]})) || return 0
  say "conditions of ${names[*]}"
  mkdir -p -- "$folder"
  build //conformance/golden:tiny_models && "$tiny" "$folder" >/dev/null || return
  keep_up_python learn_conditions --write "$tiny" "$wasm" "$folder" "${names[@]}" >"$work/conditions.log" || return
  {
    printf '\n## Conditions of graphs\n\n'
    sed 's/^/    /' "$work/conditions.log"
  } >&3
}

# Learns the types of projectors that libmtmd of Debian unstable knows, and writes cases for new ones.
keep_up_projectors() {
  local cases=$work/corpus out=$work/projectors names=() file name
  say "projectors (an hour; see $work)"
  build //cli:ggufcheck //conformance/golden:tiny_models || return
  "$root/bazel-bin/cli/ggufcheck" corpus export --cases "$root/corpus/cases" "$cases" >/dev/null || return
  while read -r name; do
    [[ ! $name =~ ^[a-z0-9_.-]+$ || -e $root/conformance/tables/projectors/$name.tsv ]] || names+=("$name")
  done < <(cut -f 1 "$root/conformance/tables/projector_types.tsv")
  keep_up_python learn_projectors "$root/bazel-bin/conformance/golden/tiny_models" "$debian" "$cases/adapters" "$out" \
    --new "${names[@]}" >"$work/projectors.log" 2>&1 || return
  keep_up_python write_projectors "$root/conformance/tables" "$out" >>"$work/projectors.log" || return
  for file in "$out"/valid-projector-*.gguf; do
    [[ -e $file ]] || continue
    name=$(basename -- "$file" .gguf)
    {
      printf 'title      "a tiny projector of the type %s"\n' "${name#valid-projector-}"
      printf 'why        "The smallest that llama.cpp loads, and that encodes an image or sound."\n'
      printf 'clause     "Not in the specification; llama.cpp'"'"'s loader of projectors, observed in %s"\n' \
        "$(<"$debian/usr/share/doc/libllama0/nightly-tag.txt")"
      printf 'scope      model\n\n'
      "$root/bazel-bin/cli/ggufcheck" corpus disassemble "$file"
      printf '=== expect\nupload ?\n'
    } >"$root/corpus/cases/adapters/$name.gguft"
  done
  {
    printf '\n## Projectors\n\n'
    sed -n 's/^? /- /p' "$work/projectors.log"
  } >&3
}

# Compares usual.tsv with the converters of Debian unstable.
keep_up_usual() {
  say "converters"
  keep_up_python learn_usual "$root/conformance/tables" "$debian" >"$work/usual.log" || return
  {
    printf '\n## Keys that converters always write\n\n'
    sed 's/^/    /' "$work/usual.log"
  } >&3
}

# Writes the cases of new rows, and what is generated from the tables.
keep_up_cases() {
  local code=0
  say "cases"
  if ! { run_bazel gcc run //conformance/golden:tiny_models &&
    run_bazel gcc run //conformance/golden:golden_test -- --update >"$work/golden.log" &&
    build //cli:ggufcheck //fuzz/kit:dictionary; }; then
    printf '\n## The program does not build, or writes no cases\n' >&3
    return 1
  fi
  "$root/bazel-bin/fuzz/kit/dictionary" >"$root/fuzz/kit/gguf.dict" || code=1
  run_bazel gcc run //cli:rules_doc || code=1
  run_bazel gcc run //cli:man_page || code=1
  (cd "$root" && bazel-bin/cli/ggufcheck corpus lint --update) >"$work/cases.log" 2>&1 || code=1
  ((code == 0)) || {
    printf '\n## Cases\n\n'
    sed 's/^/    /' "$work/cases.log"
  } >&3
  return "$code"
}

# Compares the predictions with each loader, on the smallest models and variants.
keep_up_compare() {
  local folder=$work/models tiny=$root/bazel-bin/conformance/golden/tiny_models code=0
  say "predictions"
  rm -rf -- "$folder"
  mkdir -p -- "$folder"
  build //cli:ggufcheck //conformance/golden:tiny_models && "$tiny" "$folder" >/dev/null || return
  [[ -z $wasm ]] ||
    keep_up_python compare_predictions "$root/bazel-bin/cli/ggufcheck" "$tiny" "$wasm" "$folder" >"$work/wasm.log" || code=1
  [[ -z $debian ]] || keep_up_native "$debian" >"$work/debian.log" || code=1
  [[ -z $npm ]] || keep_up_native "$npm" >"$work/npm.log" || code=1
  {
    printf '\n## Predictions\n\n'
    sed 's/^/    /' "$work/wasm.log" "$work/debian.log" "$work/npm.log" 2>/dev/null || true
  } >&3
  return "$code"
}

# keep_up_native FOLDER [FLAG...]: the same with a native library.
keep_up_native() {
  python3 "$root/conformance/external/loader/test_loader.py" "$root/bazel-bin/cli/ggufcheck" "$tiny" "$@"
}
