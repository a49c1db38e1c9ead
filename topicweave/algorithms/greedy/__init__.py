"""The greedy family: its rules, its arrays, its loop, and near candidates."""
