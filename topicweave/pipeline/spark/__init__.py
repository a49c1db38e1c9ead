"""Spark itself: how to start it, explain its errors, and end it."""
