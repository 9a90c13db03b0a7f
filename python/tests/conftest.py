"""Settings of all tests."""

from hypothesis import settings

# No test depends on the speed of the machine.
settings.register_profile("kalah", deadline=None)
settings.load_profile("kalah")
