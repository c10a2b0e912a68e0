"""turnkeeper.data."""
