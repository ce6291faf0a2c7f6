"""A headless Chromium that reads pages of this machine and nothing else, driven by selenium."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)


def programs() -> tuple[str, str] | None:
    """Return a Chromium and its driver, where both are installed."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


needs_chromium = pytest.mark.skipif(
    programs() is None, reason="no chromium with chromedriver on the path"
)


@contextmanager
def browser(
    *, width: int = 1280, height: int = 900, scripts: bool = True, dark: bool = False
) -> Iterator[Any]:
    """Open a browser with a window of this size, in which scripts run or do not."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    found = programs()
    assert found is not None, "tests that need it are skipped"
    options = ChromeOptions()
    options.binary_location = found[0]
    for flag in _FLAGS:
        options.add_argument(flag)
    preferences = {} if scripts else {"profile.managed_default_content_settings.javascript": 2}
    options.add_experimental_option("prefs", preferences)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options.add_argument(f"--user-data-dir={profile}")
        driver: Any = Chrome(options=options, service=Service(found[1]))
        try:
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            features = [
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                # what moves cannot be clicked
                {"name": "prefers-reduced-motion", "value": "reduce"},
            ]
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            # what a browser shows first asks for pages of its own
            driver.get("about:blank")
            driver.get_log("performance")
            yield driver
        finally:
            driver.quit()


def requests_of(driver: Any) -> list[str]:
    """Return the addresses that were asked for since the browser was opened."""
    import json

    messages = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def save_screenshot(driver: Any, path: Path, clip: Mapping[str, float] | None = None) -> None:
    """Save what the window shows, or the part of the page that ``clip`` names."""
    import base64

    wanted: dict[str, Any] = {"format": "png"}
    if clip is not None:
        wanted |= {"clip": {**clip, "scale": 1}, "captureBeyondViewport": True}
    data = driver.execute_cdp_cmd("Page.captureScreenshot", wanted)["data"]
    path.write_bytes(base64.b64decode(data))
