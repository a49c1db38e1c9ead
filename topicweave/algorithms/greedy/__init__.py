"""The greedy family of algorithms: its rules, data structures, main loop, and choice of near candidates."""
