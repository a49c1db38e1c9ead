"""Beyond the papers: all algorithms side by side, where the support comes from, what ties are worth."""
