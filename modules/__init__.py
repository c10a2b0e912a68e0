"""turnkeeper.modules."""
