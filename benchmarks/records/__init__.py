"""Named instances with the best overlay known and a certified bound, for others to beat."""
