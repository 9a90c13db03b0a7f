"""The commands of `python -m kalah.cluster`."""
