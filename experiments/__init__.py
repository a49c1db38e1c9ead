"""What the papers say, measured again with our code: a folder per paper, a module per figure or table.

Each module declares an :class:`experiments.experiment.Experiment`: a grid of runs (what × how × seed), the claims that
are judged by their results, and the figures that are drawn from them. ``python -m experiments run`` carries runs out on
Spark, ``python -m experiments report`` makes the page. Everything measured goes through ``import topicweave as tw``.
"""
