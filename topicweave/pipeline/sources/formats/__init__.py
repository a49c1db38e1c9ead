"""File formats: delimited text, JSON lines, edge lists, Parquet, and tables."""
