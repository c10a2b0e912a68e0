"""turnkeeper.optimized."""
