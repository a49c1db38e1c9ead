"""Spark itself: its session, its failures, its end."""
