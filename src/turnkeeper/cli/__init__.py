"""turnkeeper.cli."""
