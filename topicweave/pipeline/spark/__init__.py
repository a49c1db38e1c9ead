"""Spark itself: its session, its failures, its shutdown."""
