"""Checkpoints: finished stages of a killed run, stored for the next run of the same job."""
