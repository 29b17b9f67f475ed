"""Tests the HTML page of `readers report` in a headless Chromium.

At the width of a desktop and of a phone, with and without JavaScript, and with
texts in the log that would run if any of them were taken for HTML.

Usage: page_test.py GGUFCHECK.  Needs Debian's chromium, chromium-driver and
python3-selenium.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../report/page'))
from browser import PHONE, BrowserTest  # pylint: disable=wrong-import-position

HOSTILE = ('</script><script>alert(1)</script><img src=x onerror=alert(1)>'
           '|a|b\n::error::x\x1b[2J\u202eevil\u0000`*<!--{{data}}')

MARKED = '0123456789abcdef' * 4  # The bytes of a case, as hex.


def case(name, result, outcome, **more):
    """A log's record of a case."""
    record = {
        'case': 'tensors/' + name, 'section': 'tensors', 'title': 'title of ' + name,
        'verdict': 'invalid', 'level': 'must', 'importance': 'major', 'flags': [],
        'outcome': outcome, 'result': result,
        'levels': dict.fromkeys(['L0', 'L1', 'L2', 'L3', 'L4', 'L5'], 'pass'),
        'difference': None, 'reject': None, 'stderr': '', 'seconds': 0.01,
        'peak_kib': 1000, 'expected': 'rejected', 'known': None}
    if result != 'pass':
        record.update({
            'why': 'why ' + name + ' matters', 'text': 'title "x"\n', 'hex': MARKED, 'hex_offset': 32,
            'marks': [{'offset': 34, 'length': 2, 'rule': 'a-rule'}],
            'size': 100, 'repro': 'ggufcheck readers run --repro tensors/' + name})
    record.update(more)
    return record


def log(name, cases):
    """The lines of a reader's log."""
    header = {
        'schema': 'ggufcheck/run/1', 'tool': {'name': 'ggufcheck', 'version': '0.1.0'},
        'date': '2026-11-21T20:00:00Z',
        'reader': {'name': name, 'version': '1.0', 'command': ['./reader'], 'caps': ['kv'],
                   'quirks': [], 'mode': 'protocol', 'sanitizer': 'none'},
        'corpus': {'cases': len(cases), 'sha256': 'a' * 64, 'version': '0.1.0'},
        'level': 'may', 'selectors': [], 'shard': {'index': 0, 'count': 1}}
    footer = {'complete': True, 'cases': len(cases), 'seconds': 1.5, 'why': ''}
    return ''.join(json.dumps(line) + '\n' for line in [header, *cases, footer])


def hostile_cases():
    """A hundred passes, a crash, a wrong value, and one with hostile texts."""
    passes = [case('invalid-pass-%d' % i, 'pass', 'reject') for i in range(100)]
    crash = case('invalid-crash', 'unsafe', 'crash', importance='critical',
                 stderr='Segmentation fault', flags=['Shard'], difference={
                     'level': 'L0', 'path': '', 'expected': 'reject', 'observed': 'SIGSEGV'})
    crash['levels']['L0'] = 'fail'
    wrong = case('invalid-wrong', 'wrong-values', 'accept', level='should', difference={
        'level': 'L3', 'path': 'tensor[w].offset', 'expected': '0', 'observed': '7'})
    wrong['levels']['L3'] = 'fail'
    hostile = case(HOSTILE, 'info', 'accept', title=HOSTILE, stderr=HOSTILE, text=HOSTILE,
                   expected=HOSTILE, known=HOSTILE, repro=HOSTILE, why=HOSTILE, flags=[HOSTILE],
                   verdict='either', reject={'class': HOSTILE, 'text': HOSTILE},
                   difference={'level': 'L2', 'path': HOSTILE, 'expected': HOSTILE,
                               'observed': HOSTILE},
                   marks=[{'offset': 34, 'length': 2, 'rule': HOSTILE}])
    return passes + [crash, wrong, hostile]


class Page(BrowserTest):

    def open(self, hash_=''):
        super().open(PAGE + hash_)

    def tearDown(self):
        """No script ran, nothing was added, no error was logged."""
        self.assertEqual(self.browser.get_log('browser'), [])
        for added in ('img', 'script[src]', 'body > script:not(#data) ~ *'):
            self.assertEqual(self.all(added), [], added)
        self.assertEqual(len(self.all('script')), 2)

    def shown(self):
        return self.one('#shown').text

    def choose(self, name, text):
        select = self.one('#filters [name=%s]' % name)
        option = next(option for option in select.find_elements(By.TAG_NAME, 'option')
                      if option.text == text)
        value = option.get_attribute('value')
        option.click()
        # The page gets the event a little later.
        self.wait(lambda: self.fragment().get(name, ['']) == [value])

    def names(self):
        """Opens all groups and returns the names of their cases."""
        for button in self.all('#matrix [aria-expanded=false]'):
            button.click()
        return [button.text for button in self.all('#matrix tr.case th button')]

    def url(self):
        # The driver's own current_url may lag behind the page's replaceState().
        return self.browser.execute_script('return location.href')

    def fragment(self):
        return urllib.parse.parse_qs(urllib.parse.urlparse(self.url()).fragment)


class Desktop(Page):

    def test_worst_comes_first(self):
        self.open()
        self.assertEqual(self.shown(), '103 of 103 cases, in 4 groups')
        self.assertEqual(self.names()[:3], ['invalid-crash', 'invalid-wrong',
                                            self.names()[2]])
        self.assertIn('onerror=alert(1)', self.names()[2])

    def test_failures_are_said_in_words_before_anything_else(self):
        self.open()
        headings = [heading.text for heading in self.all('main h2')]
        self.assertEqual(headings[0], 'Failures')
        reader = self.one('#failures details')
        self.assertIn('2 failures', reader.text)
        reader.find_element(By.TAG_NAME, 'summary').click()
        self.assertEqual([heading.text for heading in self.all('#failures h3')],
                         ['unsafe: 1', 'wrong-values: 1'])
        failures = [item.text for item in self.all('#failures li')]
        self.assertEqual(len(failures), 2)
        for part in ('title of invalid-crash', 'critical', 'It crashed: SIGSEGV.',
                     'It should have rejected the file.', 'why invalid-crash matters',
                     'ggufcheck readers run --repro tensors/invalid-crash'):
            self.assertIn(part, failures[0])
        self.assertIn('It read tensor[w].offset as 7. The file has 0.', failures[1])
        self.all('#failures li a')[1].click()
        self.wait(lambda: self.one('#case').is_displayed())
        self.assertEqual(self.one('#case-title').text, 'tensors/invalid-wrong')
        text = self.one('#case .body').text
        self.assertLess(text.index('why invalid-wrong matters'), text.index('Bytes 32'))

    def test_one_is_one(self):
        self.browser.get('about:blank')
        self.browser.get('file://' + ONE_PAGE)
        self.assertIn('1 case \u00b7 1 reader \u00b7', self.one('.about').text)
        self.assertEqual(self.shown(), '1 of 1 case, in 1 group')
        self.assertIn('1 failure', self.one('#failures summary').text)
        # A reader alone: its failures need no click.
        self.assertIn('It crashed.', self.one('#failures').text)

    def test_marked_bytes_are_shown_at_any_offset(self):
        self.browser.get('about:blank')
        self.browser.get('file://' + ONE_PAGE + '#case=tensors%2Finvalid-far')
        marks = [mark.text for mark in self.all('#case pre.bytes mark')]
        self.assertEqual(marks, ['77', '77', 'w', 'w'])
        self.assertIn('100000300', self.one('#case pre.bytes').text)

    def test_each_filter_filters(self):
        self.open()
        self.choose('outcome', 'crash')
        self.assertEqual(self.names(), ['invalid-crash'])
        self.choose('outcome', 'wrong-values')
        self.assertEqual(self.names(), ['invalid-wrong'])
        self.choose('outcome', 'all')
        self.choose('level', 'should')
        self.assertEqual(self.names(), ['invalid-wrong'])
        self.choose('level', 'L0 safe')
        self.assertEqual(self.names(), ['invalid-crash'])
        self.choose('level', 'all')
        self.choose('flag', 'Shard')
        self.assertEqual(self.names(), ['invalid-crash'])
        self.choose('flag', 'all')
        self.one('#filters [name=q]').send_keys('offset wrong')
        self.assertEqual(self.names(), ['invalid-wrong'])
        self.assertEqual(self.shown(), '1 of 103 cases, in 1 group')
        self.one('#filters [type=reset]').click()
        self.wait(lambda: self.shown() == '103 of 103 cases, in 4 groups')

    def test_a_reader_alone_has_one_column(self):
        self.open()
        self.assertEqual(len(self.all('#matrix thead th')), 3)
        self.choose('reader', 'good 1.0')
        self.assertEqual(len(self.all('#matrix thead th')), 2)
        self.assertEqual(self.shown(), '103 of 103 cases, in 1 group')
        self.choose('outcome', 'crash')  # An outcome of the other reader.
        self.assertEqual(self.shown(), '0 of 103 cases, in 0 groups')

    def test_the_url_has_the_state(self):
        self.open()
        self.choose('outcome', 'crash')
        self.one('#filters [name=q]').send_keys('tensors')
        self.names()
        self.one('#matrix tr.case td button').click()
        fragment = self.fragment()
        self.assertEqual(fragment['outcome'], ['outcome crash'])
        self.assertEqual(fragment['case'], ['tensors/invalid-crash'])
        again = self.url()
        self.browser.get('about:blank')
        self.browser.get(again)
        self.assertTrue(self.one('#case').is_displayed())
        self.assertEqual(self.shown(), '1 of 103 cases, in 1 group')
        self.assertEqual(self.one('#case-title').text, 'tensors/invalid-crash')
        self.one('#case header button').click()
        self.wait(lambda: 'case' not in self.fragment())
        self.assertIn('outcome', self.fragment())

    def test_a_url_of_nonsense_is_harmless(self):
        self.open('#case=nothing&outcome=no&reader=%3Cimg%3E&q=%00')
        self.assertEqual(self.shown(), '0 of 103 cases, in 0 groups')

    def test_details_show_the_marked_bytes(self):
        self.open('#case=tensors%2Finvalid-wrong')
        marks = [mark.text for mark in self.all('#case pre.bytes mark')]
        self.assertEqual(marks, ['45', '67', 'E', 'g'])
        self.assertIn('00000020', self.one('#case pre.bytes').text)
        text = self.one('#case').text
        for part in ('tensor[w].offset (L3)', 'a-rule', 'Expected: rejected', 'title "x"',
                     '--repro tensors/invalid-wrong', 'Bytes 32 to 64 of 100',
                     'It read tensor[w].offset as 7. The file has 0.', 'why invalid-wrong matters',
                     'failed: L3 tensor table'):
            self.assertIn(part, text)
        self.one('#case button.copy').click()
        self.wait(lambda: self.one('#case button.copy').text in ('Copied', 'Selected'))

    def test_keys_are_enough(self):
        self.open()
        first = self.one('#matrix [aria-expanded]')
        first.send_keys(Keys.ENTER)
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
        self.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
        cell = self.browser.switch_to.active_element
        self.assertEqual(cell.text, 'unsafe crash')
        cell.send_keys(Keys.ENTER)
        self.assertTrue(self.one('#case').is_displayed())
        self.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait(lambda: not self.one('#case').is_displayed())
        self.wait(lambda: self.browser.switch_to.active_element == cell)
        cell.send_keys(Keys.ARROW_UP)
        self.assertEqual(self.browser.switch_to.active_element.get_attribute('aria-expanded'),
                         'true')

    def test_hostile_text_is_text(self):
        self.open()
        self.choose('outcome', 'info')
        self.names()
        self.one('#matrix tr.case th button').click()
        text = self.one('#case').text
        self.assertIn('<img src=x onerror=alert(1)>', text)
        self.assertIn('\\u{202e}evil\\x00', text)
        self.assertIn('{{data}}', text)
        for character in '\u202e\x1b\0':
            self.assertNotIn(character, self.browser.page_source)
        self.assertEqual(self.all('#case img'), [])

    def test_injected_html_would_not_run(self):
        """The page's own policy is the second line of defence."""
        self.open()
        self.browser.execute_script(
            "document.body.insertAdjacentHTML('beforeend',"
            "'<i id=x onclick=\"window.ran=1\"></i>'); document.getElementById('x').click()")
        self.assertIsNone(self.browser.execute_script('return window.ran ?? null'))
        self.assertIn('Content Security Policy', self.browser.get_log('browser')[0]['message'])
        self.browser.execute_script("document.getElementById('x').remove()")


class Phone(Page):
    size = PHONE

    def test_the_page_never_scrolls_sideways(self):
        self.open()
        self.assertEqual(self.sideways(), 0)
        self.names()
        for details in self.all('main details'):
            details.find_element(By.TAG_NAME, 'summary').click()
        self.assertEqual(self.sideways(), 0)
        for button in self.all('#matrix tr.case th button')[:3]:
            # A long name may extend beyond its box, where a click does not reach it.
            self.browser.execute_script('arguments[0].click()', button)
            self.assertEqual(self.sideways(), 0)
            width = self.browser.execute_script(
                "const d = document.getElementById('case'); return d.scrollWidth - d.clientWidth")
            self.assertEqual(width, 0)
            self.one('#case header button').click()


class NoScript(Page):
    javascript = False

    def test_it_is_a_plain_table(self):
        self.open()
        self.assertFalse(self.one('#filters').is_displayed())
        groups = self.all('#matrix tr.group')
        self.assertEqual(len(groups), 4)
        self.assertIn('unsafe crash', groups[0].text)
        self.assertNotIn('invalid-crash', groups[0].text)
        groups[0].find_element(By.TAG_NAME, 'summary').click()
        self.assertIn('tensors/invalid-crash', groups[0].text)
        groups[1].find_element(By.TAG_NAME, 'summary').click()
        self.assertIn('It read tensor[w].offset as 7. The file has 0.', groups[1].text)
        groups[2].find_element(By.TAG_NAME, 'summary').click()
        self.assertIn('<img src=x onerror=alert(1)>', groups[2].text)


class NoScriptPhone(NoScript):
    size = PHONE


class Large(Page):

    def test_thousands_of_cases_open_quickly(self):
        self.browser.get('about:blank')
        begin = time.monotonic()
        self.browser.get('file://' + LARGE_PAGE)
        self.assertIn('of 2400 cases', self.shown())
        self.assertLess(time.monotonic() - begin, 10)
        self.assertLess(os.path.getsize(LARGE_PAGE), 5 << 20)


def write_page(program, folder, name, logs):
    """Runs `readers report` over the logs and returns the path of the page."""
    paths = []
    for number, text in enumerate(logs):
        paths.append(os.path.join(folder, '%s-%d.ndjson' % (name, number)))
        with open(paths[-1], 'w', encoding='utf-8') as file:
            file.write(text)
    page = os.path.join(folder, name + '.html')
    with open(page, 'wb') as file:
        subprocess.run([program, 'readers', 'report', *paths, '--format', 'html'],
                       stdout=file, check=True)
    return page


def large_logs():
    """Four readers, each of which fails every fifth case in its own way."""
    results = [('unsafe', 'hang'), ('false-accept', 'accept'), ('pass', 'reject'),
               ('pass', 'reject'), ('pass', 'reject')]
    return [log('reader-%d' % n, [
        case('invalid-%d' % i, *results[(i + n) % 5], **(
            {'text': 'x' * 600, 'hex': '00' * 1024} if (i + n) % 5 < 2 else {}))
        for i in range(2400)]) for n in range(4)]


if __name__ == '__main__':
    ggufcheck = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as temporary:
        good = [dict(one, result='pass', outcome='reject') for one in hostile_cases()]
        PAGE = write_page(ggufcheck, temporary, 'page',
                          [log('bad' + HOSTILE, hostile_cases()), log('good', good)])
        far = case('invalid-far', 'unsafe', 'crash', hex='00' * 768 + '7777' + '00' * 254,
                   hex_offset=1 << 32, size=1 << 33,
                   marks=[{'offset': (1 << 32) + 768, 'length': 2, 'rule': 'a-rule'}])
        far['levels']['L0'] = 'fail'
        ONE_PAGE = write_page(ggufcheck, temporary, 'one', [log('only', [far])])
        LARGE_PAGE = write_page(ggufcheck, temporary, 'large', large_logs())
        unittest.main()
