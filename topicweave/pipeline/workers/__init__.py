"""What runs on executors."""
