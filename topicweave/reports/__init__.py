"""Report pages and pictures of plans, without Spark."""
