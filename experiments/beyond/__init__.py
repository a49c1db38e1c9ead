"""Experiments that go beyond the papers: all algorithms side by side, which links bring the support, the effect of
ties.
"""
