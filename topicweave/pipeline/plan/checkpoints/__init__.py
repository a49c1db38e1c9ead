"""Stages of a run that was killed, kept for the next run of the same."""
