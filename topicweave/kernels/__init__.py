"""Compiled functions (kernels) that work on NumPy arrays.

They import nothing from outside ``kernels``, allocate little and raise nothing.
"""
