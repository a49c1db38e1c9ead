"""Pages and pictures about plans, without Spark."""
