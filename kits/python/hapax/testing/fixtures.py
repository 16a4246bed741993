"""Fixtures of pytest, which finds them when this package is installed."""

from __future__ import annotations

from typing import Iterator

import pytest

from .servers import Instance, instance


@pytest.fixture
def hapax_instance() -> Iterator[Instance]:
    """An empty instance of the test server, for one test."""
    with instance() as each:
        yield each
