"""Benchmarks: speed as ratios measured within one run, compared with stated limits and with the published data
structures.

``python -m benchmarks [names…] [--quick] [--json FILE]`` runs the table in :mod:`benchmarks.cases`.
"""
