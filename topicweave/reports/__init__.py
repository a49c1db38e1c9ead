"""Report pages and pictures about plans; Spark is not needed."""
