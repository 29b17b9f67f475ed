"""Tests which mutations are found.

SPDX-License-Identifier: Apache-2.0
"""

import unittest

import mutations
import mutants

SOURCE = '''\
// A comment with a < b && c.
#include <vector>

namespace gguf {

constexpr char kText[] = "a < b; return true;";

bool IsSmall(uint64_t size, const File& file) {
  if (size > 7 && !file.legacy) return false;
  total += size;
  Add(size,
      file);
  for (const Key& key : file.keys) {
    if (key.size() == 0) continue;
    const uint64_t sum = size + key.size();
    break;
  }
  return true;
}

void Close() {
  open_ = false;
}

}  // namespace gguf
'''


def changes(operator, source=SOURCE):
    """Returns "old -> new" of an operator's mutations."""
    return [f'{source[one.begin:one.end]} -> {one.text}'
            for one in mutations.find_mutations('a.cc', source) if one.operator == operator]


class MutationsTest(unittest.TestCase):

    def test_operators_outside_of_texts_and_comments(self):
        self.assertEqual(changes('relational'), ['> -> >=', '> -> <=', '== -> !='])
        self.assertEqual(changes('boolean'), ['&& -> ||', '! -> '])
        self.assertEqual(changes('arithmetic'), ['+ -> -', '+ -> -'])

    def test_constants(self):
        self.assertEqual(changes('constant'), ['7 -> 0', '7 -> 6', '7 -> 8', '0 -> 1'])
        self.assertEqual(changes('constant', "x = 0x10u + 1'000;\n"),
                         ['0x10u -> 0u', '0x10u -> 15u', '0x10u -> 17u', "1'000 -> 0", "1'000 -> 999", "1'000 -> 1001"])
        self.assertEqual(changes('constant', 'v2 = 1.5 + get<0>(x);\n'), [])

    def test_returns_and_early_returns(self):
        self.assertEqual(changes('return'), ['false -> true', 'true -> false', ' ->  return {};', ' ->  return;'])

    def test_statements(self):
        self.assertEqual(changes('statement'), [
            'if (size > 7 && !file.legacy) return false; -> ;', 'total += size; -> ;', 'Add(size,\n      file); -> ;',
            'if (key.size() == 0) continue; -> ;', 'break; -> ;', 'open_ = false; -> ;'
        ])

    def test_a_mutant_differs_in_one_place_of_the_same_line(self):
        for one in mutations.find_mutations('a.cc', SOURCE):
            mutant = mutations.apply(one, SOURCE)
            self.assertTrue(mutant.endswith(SOURCE[one.end:]))
            self.assertIn(SOURCE[:one.begin] + one.text, mutant)
            self.assertNotIn('\n', mutant[:mutant.index(SOURCE[:one.begin])])

    def test_the_description_names_the_line(self):
        self.assertEqual(
            mutations.describe(mutations.find_mutations('a.cc', SOURCE)[0], SOURCE),
            'a.cc:9: relational: if (size > 7 && !file.legacy) return false;  ->  '
            'if (size >= 7 && !file.legacy) return false;')


class OutcomeTest(unittest.TestCase):

    def test_a_stopped_shard_is_no_failed_build(self):
        self.assertEqual(mutants.outcome(0, ''), '')
        self.assertEqual(mutants.outcome(1, '//a:b   FAILED TO BUILD\n'), 'does not build')
        self.assertEqual(mutants.outcome(3, '//a:b   FAILED in 2s\n//c:d   NO STATUS\n'), '//a:b')
        self.assertEqual(mutants.outcome(3, '//a:b   NO STATUS in 10.7s\n'), '//a:b')
        self.assertEqual(mutants.outcome(3, ''), 'does not build')


if __name__ == '__main__':
    unittest.main()
