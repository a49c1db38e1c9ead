"""``python -m experiments``: the command line of the experiments."""

from experiments.command import experiments
from topicweave.cli.main import main

if __name__ == "__main__":
    main(command=experiments, prog_name="python -m experiments")
