"""What the papers say, measured again with our code: one file of claims per paper, one table in the end.

``python -m experiments [claims…] [--quick] [--seeds N] [--out DIR]`` runs the table in :mod:`experiments.table`.
Everything here goes through ``import topicweave as tw``; a run is one pure function of its description
(:func:`experiments.perform.perform`), so that runs can be spread over processes or machines.
"""
