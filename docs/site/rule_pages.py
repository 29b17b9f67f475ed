"""Pages of the rules: a list with a filter, and a page for each rule.

SPDX-License-Identifier: Apache-2.0
"""

import collections

import corpus_pages

# Cases whose bytes stand on the page of a rule.
WITH_BYTES = 3


def write(site, rules, cases):
    by_rule = collections.defaultdict(list)
    for case in cases:
        for rule in sorted({finding.rule for finding in case.findings}):
            by_rule[rule].append(case)
    profiles = list(rules[0]["severities"])
    site.write("rules/index.html", "rules.html", rules=rules, profiles=profiles)
    for rule in rules:
        # Few bytes first: they are read at a glance.
        shown = sorted(by_rule[rule["id"]],
                       key=lambda case: (case.data is None, case.entry["size"] or 0, case.id))
        excerpts = [(case, corpus_pages.rows(case.data, case.ranges(rule["id"])[:1], 0))
                    for case in shown[:WITH_BYTES] if case.data is not None]
        site.write(f"rules/{rule['id']}.html", "rule.html", rule=rule, profiles=profiles,
                   cases=sorted(shown, key=lambda case: case.id), excerpts=excerpts)
