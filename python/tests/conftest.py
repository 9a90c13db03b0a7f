"""Settings of all tests."""

import signal

from hypothesis import settings

# No test depends on the speed of the machine.
settings.register_profile("kalah", deadline=None)
settings.load_profile("kalah")

# A process that a shell has started in the background ignores Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
