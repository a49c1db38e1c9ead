"""Finished stages of a killed run, kept for the next run of the same job."""
