"""``python -m topicweave``: the command line, also where its script is not on the path."""

from topicweave.cli.main import main

if __name__ == "__main__":
    main()
