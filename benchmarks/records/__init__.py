"""Named instances with the best overlay known and a certified bound: something to beat."""
