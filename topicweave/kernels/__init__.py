"""Compiled loops: arrays in, arrays out. They import nothing of ours, allocate little and raise nothing."""
