"""The migrations of the session store, as alembic finds them; run when a store is opened."""
