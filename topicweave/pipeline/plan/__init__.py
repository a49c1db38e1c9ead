"""The plan folder: where it is written, what is in it, and what a killed run left for the next."""
