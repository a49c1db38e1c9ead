"""The plan folder: where it is written, what it contains, and what a killed run left for the next."""
