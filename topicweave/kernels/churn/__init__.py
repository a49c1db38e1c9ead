"""Loops of churn: pieces, backups, and the small problems of repairs."""
