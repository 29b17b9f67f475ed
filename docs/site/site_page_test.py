"""Tests the site in a headless Chromium: on a desktop and a phone, light and dark.

Usage: site_page_test.py SITE GGUFCHECK.  Needs Debian's chromium, chromium-driver and
python3-selenium.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import http.server
import json
import os
import subprocess
import sys
import threading
import unittest

from selenium.webdriver.support.ui import Select

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
sys.path.insert(0, os.path.join(ROOT, 'conformance/report/page'))
from browser import PHONE, BrowserTest  # pylint: disable=wrong-import-position

PAGES = ('index.html', 'docs/gate.html', 'docs/reports.html', 'rules/index.html',
         'rules/tensor-offset-aligned.html', 'corpus/index.html', 'corpus/layout.html',
         'corpus/layout/invalid-first-offset-1.html')
EXAMPLES = os.path.join(ROOT, 'corpus/examples')
SITE = None  # Set below.
GGUFCHECK = None


class Site(BrowserTest):

    def setUp(self):
        self.media()

    def tearDown(self):
        self.assertEqual(self.browser.get_log('browser'), [])

    def visit(self, page):
        self.open(os.path.join(SITE, page))

    def shown(self):
        return [row for row in self.all('#rules tbody tr') if row.is_displayed()]

    def test_pages_fit_the_window(self):
        for page in PAGES:
            self.visit(page)
            self.assertLessEqual(self.sideways(), 0, page)

    def test_text_can_be_read_in_light_and_dark(self):
        for scheme in ('light', 'dark'):
            self.media(scheme=scheme)
            for page, selector in (('index.html', 'main p'), ('index.html', 'main a'),
                                   ('rules/index.html', 'td.error'),
                                   ('rules/index.html', 'td.off'),
                                   ('rules/index.html', 'td.warning')):
                self.visit(page)
                self.assertGreaterEqual(self.contrast(selector), 4.5, (scheme, selector))

    def test_rules_are_filtered_by_text(self):
        self.visit('rules/index.html')
        count = len(self.shown())
        self.assertGreater(count, 100)
        self.one('[name=text]').send_keys('Tensor-Offset aligned')
        self.wait(lambda: len(self.shown()) < 5)
        self.assertIn('tensor-offset-aligned', self.shown()[0].text)
        self.assertEqual(self.one('output').text, f'{len(self.shown())} of {count}')

    def test_rules_are_filtered_by_severity_in_a_profile(self):
        self.visit('rules/index.html')
        Select(self.one('[name=profile]')).select_by_visible_text('spec')
        Select(self.one('[name=severity]')).select_by_visible_text('warning')
        self.wait(lambda: self.one('output').text.split()[0] != self.one('output').text.split()[-1])
        names = [head.text for head in self.all('#rules th')]
        self.assertTrue(self.shown())
        for row in self.shown():
            cells = row.find_elements('css selector', 'td')
            self.assertEqual(cells[names.index('spec')].text, 'warning')


class Phone(Site):
    size = PHONE


class WithoutScripts(BrowserTest):
    javascript = False

    def test_all_rules_are_there(self):
        self.open(os.path.join(SITE, 'rules/index.html'))
        self.assertGreater(len(self.all('#rules tbody tr')), 100)
        self.assertFalse(self.one('form.filter').is_displayed())


class QuietHandler(http.server.SimpleHTTPRequestHandler):

    def log_message(self, *_):
        pass


class Playground(BrowserTest):
    """Needs a server: a page in a file may not start a worker."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = http.server.ThreadingHTTPServer(
            ('127.0.0.1', 0), functools.partial(QuietHandler, directory=SITE))
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.server.server_close()
        super().tearDownClass()

    def setUp(self):
        self.browser.get(f'http://127.0.0.1:{self.server.server_port}/check/index.html')

    def tearDown(self):
        self.assertEqual(self.browser.get_log('browser'), [])

    def check(self, path):
        self.one('[name=file]').send_keys(os.path.abspath(path))
        self.wait(lambda: self.one('#status').text == '' and self.all('#result h2'))

    def test_finds_what_the_program_finds(self):
        path = os.path.join(EXAMPLES, 'broken.gguf')
        self.check(path)
        run = subprocess.run([GGUFCHECK, 'check', '--header-only', '--format', 'json',
                              '--no-config', '--exit-zero', path], stdout=subprocess.PIPE, check=True)
        [file] = json.loads(run.stdout)['files']
        self.assertEqual([link.text for link in self.all('#result td a')],
                         [finding['rule'] for finding in file['findings']])
        self.assertEqual(self.one('h2').text, 'fail: broken.gguf')

    def test_a_good_file_passes(self):
        self.check(os.path.join(EXAMPLES, 'Example-1K-v1.0-F32.gguf'))
        self.assertTrue(self.one('h2').text.startswith('pass: '))

    def test_findings_lead_to_their_rules(self):
        self.check(os.path.join(EXAMPLES, 'broken.gguf'))
        link = self.one('#result td a')
        rule = link.text
        link.click()
        self.assertEqual(self.one('h1').text, rule)

    def test_what_cannot_be_read_is_said(self):
        self.one('[name=url]').send_keys('https://127.0.0.1:1/x.gguf')
        self.one('form button').click()
        self.wait(lambda: self.one('#status').text.startswith('Not checked: '))
        self.browser.get_log('browser')  # The refused connection.


if __name__ == '__main__':
    SITE = os.path.abspath(sys.argv.pop(1))
    GGUFCHECK = os.path.abspath(sys.argv.pop(1))
    unittest.main()
