"""turnkeeper.metrics."""
