"""Kernels for churn: pieces, backups, and the small problems of repairs."""
