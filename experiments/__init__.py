"""Measures the figures and claims of the papers again with this code: a folder per paper, a module per figure or table.

Each module declares an :class:`experiments.experiment.Experiment`: a grid of runs (subject × action × seed), the claims
that are judged by their results, and the figures that are drawn from them. ``python -m experiments run`` executes runs
on Spark, ``python -m experiments report`` writes the page. Everything measured goes through ``import topicweave as
tw``.
"""
