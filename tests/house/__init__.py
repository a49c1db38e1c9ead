"""Checks of the rules for the source tree: they read the syntax trees of a package and import nothing of it."""
