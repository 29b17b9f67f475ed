"""Tests the HTML report of `check` in a headless Chromium.

At the width of a desktop and of a phone, in light and dark, on paper, and
without JavaScript.

Usage: page_test.py GGUFCHECK.  Needs Debian's chromium, chromium-driver and
python3-selenium.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from browser import PHONE, BrowserTest

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../../corpus/examples')
HOSTILE = '<img src=x onerror=alert(1)>"\u202e.gguf'
PAGE = None  # Set below.


class Page(BrowserTest):

    def setUp(self):
        self.media()
        self.open(PAGE)

    def tearDown(self):
        self.assertEqual(self.browser.get_log('browser'), [])
        self.assertEqual(self.all('img'), [])

    def files(self):
        """Returns the names of the files that are shown, from top to bottom."""
        files = [file for file in self.all('details.file') if file.is_displayed()]
        files.sort(key=lambda file: file.rect['y'])
        return [os.path.basename(file.find_element(By.CSS_SELECTOR, 'summary code').text)
                for file in files]

    def shown_rows(self):
        return [row for row in self.all('tr.finding') if row.is_displayed()]


class Desktop(Page):

    def test_worst_files_come_first(self):
        hostile = HOSTILE.replace('"', '\\"').replace('\u202e', '\\u{202e}')
        self.assertEqual(self.files(), ['broken.gguf', 'missing.gguf', hostile,
                                        'Example-1K-v1.0-F32.gguf'])

    def test_says_what_was_read_and_how(self):
        text = self.one('body').text
        self.assertIn('GGUF v3, little endian, ', text)
        self.assertIn('Weights were not checked', text)
        self.assertRegex(text, r'20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ ggufcheck check ')
        self.assertIn('--header ...', text)
        self.assertNotIn('secret', text)

    def test_filters_by_severity(self):
        all_rows = len(self.all('tr.finding'))
        Select(self.one('[name=severity]')).select_by_visible_text('error')
        self.wait(lambda: self.files() == ['broken.gguf'])
        shown = self.shown_rows()
        self.assertTrue(0 < len(shown) < all_rows)
        self.assertEqual({row.get_attribute('data-severity') for row in shown}, {'error'})
        self.assertEqual(self.one('#shown').text,
                         '%d of %d findings in 1 of 4 files' % (len(shown), all_rows))
        self.one('[type=reset]').click()
        self.wait(lambda: len(self.files()) == 4)

    def test_filters_by_rule(self):
        rules = Select(self.one('[name=rule]'))
        names = [option.text for option in rules.options[1:]]
        self.assertEqual(names, sorted({row.get_attribute('data-rule')
                                        for row in self.all('tr.finding')}))
        rules.select_by_visible_text(names[0])
        wanted = [row for row in self.all('tr.finding')
                  if row.get_attribute('data-rule') == names[0]]
        self.wait(lambda: self.shown_rows() == wanted)

    def test_filters_by_text(self):
        self.one('[name=q]').send_keys('MISSING')
        self.wait(lambda: self.files() == ['missing.gguf'])
        self.one('[name=q]').clear()
        self.one('[name=q]').send_keys('no file has this')
        self.wait(lambda: self.files() == [])

    def test_a_rule_links_to_its_page(self):
        self.assertRegex(self.one('tr.finding a').get_attribute('href'), r'^https://.*/rules/[a-z0-9-]+\.html$')

    def test_light_and_dark_are_legible(self):
        grounds = set()
        for scheme in ('light', 'dark'):
            self.media(scheme=scheme)
            grounds.add(self.browser.execute_script(
                'return getComputedStyle(document.body).backgroundColor'))
            for selector in ('body', '.dim', 'a', 'b.fail', 'b.incomplete', 'b.pass'):
                self.assertGreaterEqual(self.contrast(selector), 4.5, (scheme, selector))
        self.assertEqual(len(grounds), 2)

    def test_paper_has_findings_without_filters(self):
        self.media('print')
        self.assertFalse(self.one('#filters').is_displayed())
        self.assertTrue(self.one('tr.finding').is_displayed())


class Phone(Desktop):
    size = PHONE

    def test_the_page_never_scrolls_sideways(self):
        self.browser.execute_script(
            "for (const one of document.querySelectorAll('details')) one.open = true")
        self.assertEqual(self.sideways(), 0)


class NoScript(Page):
    javascript = False

    def test_findings_are_readable(self):
        self.assertFalse(self.one('#filters').is_displayed())
        self.assertEqual(self.files()[0], 'broken.gguf')
        self.assertTrue(self.one('tr.finding').is_displayed())


if __name__ == '__main__':
    ggufcheck = os.path.abspath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as temporary:
        for name in ('Example-1K-v1.0-F32.gguf', 'broken.gguf'):
            shutil.copy(os.path.join(EXAMPLES, name), temporary)
        shutil.copy(os.path.join(EXAMPLES, 'Example-1K-v1.0-F32.gguf'),
                    os.path.join(temporary, HOSTILE))
        PAGE = os.path.join(temporary, 'page.html')
        code = subprocess.run(
            [ggufcheck, 'check', '--report', 'html=' + PAGE, '--header', 'Token: secret', HOSTILE,
             'Example-1K-v1.0-F32.gguf', 'missing.gguf', 'broken.gguf'],
            cwd=temporary, stdout=subprocess.DEVNULL, check=False).returncode
        assert code == 3, code
        unittest.main()
