"""Records: named instances with the best overlay known and a certified bound, as a challenge to others."""
