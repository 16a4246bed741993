"""Tests of workflows that wait for nothing: on a test server, whose clock they advance, or without a server.

`instance` gives each test an empty server in memory. `run_workflow` runs a handler in the process of the test. `fits` compares
changed code with runs that `hapax run export` has printed.
"""

from .exported import DoesNotFit, fits
from .memory import Ran, run_workflow
from .servers import Instance, Server, instance, server

__all__ = ["DoesNotFit", "Instance", "Ran", "Server", "fits", "instance", "run_workflow", "server"]
