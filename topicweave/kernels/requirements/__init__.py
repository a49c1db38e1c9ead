"""Compiled parts of designing under requirements: hop limits, failures, costs, caps and firewalls."""
