"""File formats: delimited, JSON lines, edge lists, Parquet, tables."""
