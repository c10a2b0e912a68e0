"""turnkeeper.adapters."""
