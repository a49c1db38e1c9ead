"""How files are written: delimited, JSON lines, edge lists, Parquet, tables."""
