"""What alembic runs around the migrations: on the connection, and in the transaction, of the store that is opened."""

from alembic import context

from turnkeeper.sessions._schema import VERSIONS

context.configure(connection=context.config.attributes["connection"], version_table=VERSIONS)
context.run_migrations()
