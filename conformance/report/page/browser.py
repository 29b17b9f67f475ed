"""Tests of pages in a headless Chromium.

Needs Debian's chromium, chromium-driver and python3-selenium.

SPDX-License-Identifier: Apache-2.0
"""

import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait

DESKTOP = (1280, 900)
PHONE = (360, 740)


def open_browser(size, javascript=True):
    """Starts a browser of this size, which quit() ends."""
    options = Options()
    options.binary_location = '/usr/bin/chromium'
    for flag in ('--headless=new', '--no-sandbox', '--disable-dev-shm-usage'):
        options.add_argument(flag)
    options.accept_insecure_certs = True  # Of servers on this machine.
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    if not javascript:
        options.add_experimental_option(
            'prefs', {'profile.managed_default_content_settings.javascript': 2})
    browser = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
    width, height = size
    browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
        'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': size == PHONE})
    return browser


class BrowserTest(unittest.TestCase):
    """One browser for each class: a browser takes seconds to start."""
    size = DESKTOP
    javascript = True

    @classmethod
    def setUpClass(cls):
        cls.browser = open_browser(cls.size, cls.javascript)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()

    def open(self, page):
        """Opens a file, also if only what stands behind its # differs."""
        self.browser.get('about:blank')
        self.browser.get('file://' + page)

    def media(self, media='screen', scheme='light'):
        self.browser.execute_cdp_cmd('Emulation.setEmulatedMedia', {
            'media': media,
            'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def wait(self, condition):
        """The page gets events a little later."""
        WebDriverWait(self.browser, 10).until(lambda _: condition())

    def sideways(self):
        """Returns by how many pixels the page is wider than the window."""
        return self.browser.execute_script(
            'return document.documentElement.scrollWidth - innerWidth')

    def contrast(self, selector):
        """Returns the contrast between an element's text and the page (WCAG 2)."""
        def luminance(css):
            parts = [int(part) / 255 for part in css[css.index('(') + 1:-1].split(',')[:3]]
            linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        def color(element, name):
            return self.browser.execute_script(
                'return getComputedStyle(arguments[0])[arguments[1]]', element, name)
        pair = sorted([luminance(color(self.one(selector), 'color')),
                       luminance(color(self.one('body'), 'backgroundColor'))])
        return (pair[1] + 0.05) / (pair[0] + 0.05)
