"""Code that runs on Spark's executors (workers)."""
