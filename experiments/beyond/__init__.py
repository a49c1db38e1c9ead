"""Beyond the papers: all algorithms side by side, where the support comes from, the effect of ties."""
