"""Kernels for churn: which topics fall apart, the choice of backups, and the small design problems of repairs."""
