"""./dev mutants [--seed N] [--count N] [FOLDER...]: which changes of the code no test notices.

Samples mutations of the C++ sources in the folders (mutations.py), and for each builds and tests a
copy of the project: the corpus first, then the nearest tests, then all others that depend on the
file.  Prints who killed each mutant; the survivors show what tests lack.

A sample that was interrupted goes on where it ended.  The copy and Bazel's files are removed when
it is complete; the results stay in the cache folder.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import hashlib
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import mutations

FOLDERS = ['parser', 'kernels', 'conformance', 'corpus', 'api', 'cli']
# Tests and their helpers, tables of constants, what runs as another program, and the process
# supervisor, a mutant of which may kill other processes.
SKIPPED = re.compile(r'_test\.cc$|/testing/|/external/|/golden/|code_?books|smoke\.cc$|_example\.cc$|'
                     r'readers/process/|readers/adapters/|api/wasm/')
CORPUS_TEST = '//conformance/golden:golden_test'
# A mutant may hang, or allocate without end: then the kernel ends it before other processes.  (A limit
# of its memory would end the tests' programs that are built with ASan.)
LIMITS = ['--test_timeout=60,120,300,900', '--run_under=choom -n 1000 --']
ALSO_MUTANTS = 2  # Per place and file: at most this part of the sample, and at least so many.


def git_files(root, *folders):
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-z', '-c', '-o', '--exclude-standard', '--', *folders],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    return [name for name in listed.split('\0') if name]


def sample(root, folders, seed, count):
    """Returns mutations: about as many of each operator, few of a file, one of a place."""
    by_operator = {}
    for path in sorted(git_files(root, *folders)):
        if path.endswith('.cc') and not SKIPPED.search(path):
            for one in mutations.find_mutations(path, (root / path).read_text()):
                by_operator.setdefault(one.operator, []).append(one)
    rng = random.Random(seed)
    for found in by_operator.values():
        rng.shuffle(found)
    chosen, places, per_file = [], set(), {}
    operators = sorted(by_operator)
    while len(chosen) < count and any(by_operator.values()):
        rng.shuffle(operators)
        for operator in operators:
            while by_operator[operator]:
                one = by_operator[operator].pop()
                place = (one.path, one.begin)
                if place in places or per_file.get(one.path, 0) >= max(ALSO_MUTANTS, count // 10):
                    continue
                places.add(place)
                per_file[one.path] = per_file.get(one.path, 0) + 1
                chosen.append(one)
                break
    return chosen[:count]


def outcome(code, output):
    """Returns "", "does not build", or the tests that failed, by what `bazel test` printed.

    When a shard of a test fails, Bazel stops the others, and the test has no status.
    """
    if code == 0:
        return ''
    for words in ('FAILED|TIMEOUT', 'NO STATUS'):
        failed = re.findall(rf'^(//\S+)\s+(?:{words})', output, re.MULTILINE)
        if code == 3 and failed:
            return ' '.join(sorted(set(failed)))
    return 'does not build'


class Copy:
    """A copy of the project with a Bazel server of its own."""

    def __init__(self, root, folder, flags):
        self.tree, self.base = folder / 'tree', folder / 'bazel'
        self.flags = [*flags, '--curses=no', '--show_progress_rate_limit=60']
        wanted = set(git_files(root))
        for path in wanted:
            source, target = root / path, self.tree / path
            if not source.is_file():
                continue
            # Files that are the same keep their times.
            if not target.exists() or target.read_bytes() != source.read_bytes():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        for target in list(self.tree.rglob('*')):
            if target.is_file() and str(target.relative_to(self.tree)) not in wanted:
                target.unlink()
        self.passing = set()

    def bazel(self, command, *arguments, timeout=None):
        """Returns the exit code and what Bazel printed; 'timeout' if it took too long."""
        process = subprocess.Popen(['bazel', f'--output_base={self.base}', command, *arguments], cwd=self.tree,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors='replace')
        try:
            out, err = process.communicate(timeout=timeout)
            return process.returncode, out, err
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as error:
            process.send_signal(signal.SIGINT)  # Cancels the command in the server.
            out, err = process.communicate()
            if isinstance(error, KeyboardInterrupt):
                raise
            return 'timeout', out, err

    def query(self, expression):
        code, out, err = self.bazel('query', expression)
        if code != 0:
            sys.exit(f'mutants: bazel query failed: {err[-2000:]}')
        return out.split()

    def tests_of(self, path):
        """Returns the tests that depend on a file: the corpus, those nearby, all others."""
        package = pathlib.PurePath(path).parent
        while not (self.tree / package / 'BUILD.bazel').exists():
            package = package.parent
        label = f'//{package}:{pathlib.PurePath(path).relative_to(package)}'
        manual = 'attr(tags, "manual", //...)'
        near, dependent = (set(self.query(f'kind("_test rule", rdeps(//..., {label}{depth})) except {manual}'))
                           for depth in (', 2', ''))
        corpus = {CORPUS_TEST} & dependent
        return [group for group in (corpus, near - corpus, dependent - near - corpus) if group]

    def test(self, targets):
        """Returns "", "does not build", or the tests that fail."""
        code, out, err = self.bazel('test', *self.flags, *LIMITS, '--noremote_upload_local_results',
                                    '--notest_keep_going', '--test_output=summary', *sorted(targets))
        return outcome(code, out + err)

    def run(self, mutation):
        """Returns "survived", "does not build" or "killed by TEST..."."""
        target = self.tree / mutation.path
        text = target.read_text()
        for tests in self.tests_of(mutation.path):
            try:
                target.write_text(mutations.apply(mutation, text))
                failed = self.test(tests)
            finally:
                target.write_text(text)
            if failed == 'does not build':
                return failed
            if failed:
                self.check_alone(failed)
                return f'killed by {failed}'
        return 'survived'

    def check_alone(self, failed):
        """Ends if the tests fail without a mutation, too."""
        for test in set(failed.split()) - self.passing:
            if self.test([test]):
                sys.exit(f'mutants: {test} fails without a mutation; mend it first')
            self.passing.add(test)

    def remove(self):
        self.bazel('shutdown')
        # Bazel's own folders are read-only.
        subprocess.run(['chmod', '-R', 'u+w', self.base], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.rmtree(self.tree, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(prog='./dev mutants', description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--seed', type=int, default=1, help='of the sample (default 1)')
    parser.add_argument('--count', type=int, default=20, help='mutations (default 20)')
    parser.add_argument('--list', action='store_true', help='print the sample and test nothing')
    parser.add_argument('folders', nargs='*', default=FOLDERS, metavar='FOLDER')
    # From ./dev.
    parser.add_argument('--root', type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument('--cache', type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument('--bazel-flag', action='append', default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()

    chosen = sample(options.root, options.folders, options.seed, options.count)
    lines = [mutations.describe(one, (options.root / one.path).read_text()) for one in chosen]
    if not chosen:
        sys.exit('mutants: there is nothing to mutate in these folders')
    if options.list:
        print('\n'.join(lines))
        return 0

    # Results belong to the sample: other sources have another one.
    digest = hashlib.sha256('\n'.join(lines).encode()).hexdigest()[:12]
    options.cache.mkdir(parents=True, exist_ok=True)
    results_path = options.cache / f'seed-{options.seed}-{digest}.ndjson'
    results = {}
    if results_path.exists():
        for line in results_path.read_text().splitlines():
            result = json.loads(line)
            results[result['mutation']] = result['state']

    copy = Copy(options.root, options.cache, options.bazel_flag)
    for one, line in zip(chosen, lines):
        begin = time.monotonic()
        if line not in results:
            results[line] = copy.run(one)
            with results_path.open('a') as out:
                out.write(json.dumps({'mutation': line, 'state': results[line]}) + '\n')
        print(f'{line}\n    {results[line]}  ({time.monotonic() - begin:.0f} s)', flush=True)
    copy.remove()

    states = [results[line] for line in lines]
    survivors = [line for line in lines if results[line] == 'survived']
    failed = states.count('does not build')
    print(f'{len(states) - len(survivors) - failed} killed, {len(survivors)} survived, '
          f'{failed} do not build; {results_path}')
    for line in survivors:
        print(f'survived: {line}')
    return 1 if survivors else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit('mutants: interrupted; the same command goes on with the rest')
