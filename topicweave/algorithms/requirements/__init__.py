"""Designing under requirements: permitted links first, then hops and connectivity, then reverse deletion."""
