"""`python -m turnkeeper` is the `turnkeeper` command."""

from .cli import main

if __name__ == "__main__":
    main()
