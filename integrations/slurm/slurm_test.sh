#!/bin/bash
# Runs check_models.sbatch with Slurm on one node: kills a worker, runs its share
# again, and compares the merged report with that of a single run.
#
#   slurm_test.sh GGUFCHECK     (needs Debian's package slurm-wlm)
#
# SPDX-License-Identifier: Apache-2.0
set -u
export PATH=$PATH:/usr/sbin  # Debian's folder of the daemons.

GGUFCHECK=$(realpath -- "$1")
here=$(realpath -- "$(dirname -- "$0")")
cases=$(realpath -- "$here/../../corpus/cases")
work=$(mktemp -d)
export GGUFCHECK SLURM_CONF=$work/slurm.conf
cd -- "$work" || exit 3

daemons=()
cleanup() {
  # The daemons end the jobs, so they are stopped last.
  # shellcheck disable=SC2016
  scancel --me 2>/dev/null && timeout 20 sh -c 'until [ -z "$(squeue --noheader)" ]; do :; done'
  kill "${daemons[@]}" 2>/dev/null
  wait "${daemons[@]}"
  rm -rf -- "$work"
}
trap cleanup EXIT

die() {
  echo "slurm_test: $*" >&2
  tail -n 8 -- *.log >&2
  exit 1
}

# until_works COMMAND...: waits for a daemon, which does not announce that it is
# ready.
until_works() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || die "failed for a minute: $*"
    read -rt 0.2 <> <(:)
  done
}

# start NAME COMMAND...: starts a daemon that stays in the foreground.
start() {
  "${@:2}" >"$1.log" 2>&1 &
  daemons+=($!)
}

# A cluster --------------------------------------------------------------------

port=$((20000 + RANDOM % 10000 * 2))
me=$(id -un)
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$me
SlurmdUser=$me
AuthInfo=socket=$work/munge.socket,cred_expire=15
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=2,bf_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
NodeName=node NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=node Default=YES
END
mkdir state spool
(umask 077 && head -c 1024 /dev/urandom >munge.key)
start munged munged --force --foreground --num-threads=2 --key-file="$work/munge.key" \
  --socket="$work/munge.socket" --pid-file="$work/munge.pid" --seed-file="$work/munge.seed" \
  --log-file="$work/munge.out.log"
until_works munge --socket="$work/munge.socket" --no-input
start slurmctld slurmctld -D
start slurmd slurmd -D -N node
until_works sh -c 'sinfo --noheader --states=idle | grep node'

# A few hundred models ---------------------------------------------------------

"$GGUFCHECK" corpus export golden --cases "$cases" >/dev/null || die "no models"
find golden/header golden/tensors golden/shards -name '*.gguf' | LC_ALL=C sort >list
# One of them is a pipe; its worker waits there to be killed.
slow=$(sed -n 100p list)
mv -- "$slow" model
mkfifo -- "$slow"
[[ $(wc -l <list) -gt 300 ]] || die "only $(wc -l <list) models"

tasks=8
mkdir reports
submit() { sbatch --parsable --output=task-%a.log "$@"; }
check_models=("$here/check_models.sbatch" reports --files-from list)
merge() { "$GGUFCHECK" merge-reports "$@" reports/*.ndjson; }

# finish JOB: waits until it has ended, with any result.
finish() {
  sbatch --output=/dev/null --dependency="afterany:$1" --wait --wrap=true >/dev/null ||
    die "job $1 does not end"
}

# reports_are N WHEN
reports_are() {
  local reports=(reports/*.ndjson)
  [[ ${#reports[@]} -eq $1 ]] || die "$2: ${#reports[@]} reports, wanted $1"
}

# expect_whole WHEN: compares the merged report and its exit code with a single run.
expect_whole() {
  reports_are "$tasks" "$1"
  merge --format json >merged.json
  [[ $? -eq $verdict ]] || die "$1: the exit code of merging differs from that of a single run, $verdict"
  cmp -- whole.json merged.json || die "$1: the merged report differs from that of a single run"
  echo "$1: the report of $tasks tasks equals that of a single run"
}

# The array, and a worker that is killed in the middle --------------------------

job=$(submit --array="0-$((tasks - 1))" "${check_models[@]}") || die "sbatch: exit $?"
# Opening the pipe blocks until a worker reads it.
kill_reader() {
  local readers
  exec 9>"$slow"
  readers=$(exec 9>&- && find /proc/[0-9]*/fd -lname "$work/$slow" 2>/dev/null | cut -d / -f 3)
  kill -KILL "$(grep -vx "$$" <<<"$readers")"
}
export -f kill_reader
export slow work
timeout 120 bash -c kill_reader || die "no worker was killed at $slow"
finish "$job"
rm -- "$slow" && mv -- model "$slow"
"$GGUFCHECK" check --format json --files-from list >whole.json
verdict=$?
reports_are $((tasks - 1)) "a killed worker"
for ((lost = 0; lost < tasks; ++lost)); do [[ -e reports/$lost.ndjson ]] || break; done
merge --format text | grep -x "INCOMPLETE  missing: 1 shard of $tasks: $((lost + 1))" ||
  die "merging does not name the missing report"

# Its share again: by Slurm, and by hand ----------------------------------------

scontrol requeue "${job}_$lost" || die "scontrol requeue: exit $?"
finish "$job"
expect_whole "scontrol requeue"

rm -- "reports/$lost.ndjson"
job=$(submit --array="$lost" "${check_models[@]}" --shard "$((lost + 1))/$tasks")
finish "$job"
expect_whole "a job of its own"
scontrol show job "${job}_$lost" | grep -q JobState=COMPLETED ||
  die "a task with findings counts as failed"
