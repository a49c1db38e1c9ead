"""``python -m topicweave``: the command line, for when the ``topicweave`` script is not on PATH."""

from topicweave.cli.main import main

if __name__ == "__main__":
    main()
