"""The plan folder: how it is written, what it contains, and the checkpoints that a killed run leaves for the next."""
