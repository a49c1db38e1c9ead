"""Compiled loops that take and return arrays.

They import nothing from outside ``kernels``, allocate little and raise nothing.
"""
