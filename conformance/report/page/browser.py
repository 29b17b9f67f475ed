"""A headless Chromium for tests of pages.

Needs Debian's chromium, chromium-driver and python3-selenium.

SPDX-License-Identifier: Apache-2.0
"""

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

DESKTOP = (1280, 900)
PHONE = (360, 740)


def open_browser(size, javascript=True):
    """Starts a browser of this size, which quit() ends."""
    options = Options()
    options.binary_location = '/usr/bin/chromium'
    for flag in ('--headless=new', '--no-sandbox', '--disable-dev-shm-usage'):
        options.add_argument(flag)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    if not javascript:
        options.add_experimental_option(
            'prefs', {'profile.managed_default_content_settings.javascript': 2})
    browser = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=options)
    width, height = size
    browser.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {
        'width': width, 'height': height, 'deviceScaleFactor': 1, 'mobile': size == PHONE})
    return browser
