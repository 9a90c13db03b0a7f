"""The parts that the environments of other packages share."""
