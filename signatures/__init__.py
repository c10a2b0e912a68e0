"""turnkeeper.signatures."""
