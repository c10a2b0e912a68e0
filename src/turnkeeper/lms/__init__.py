"""turnkeeper.lms."""
