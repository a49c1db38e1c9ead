"""Speed, as ratios taken in one run against stated floors and against the published data structures.

``python -m benchmarks [names…] [--quick] [--json FILE]`` runs the table in :mod:`benchmarks.cases`.
"""
