"""Code that runs on executors."""
