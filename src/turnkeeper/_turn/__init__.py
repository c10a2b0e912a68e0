"""The parts of a whole turn; `turnkeeper.conversation` puts them together."""
