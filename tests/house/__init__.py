"""What the rules of the house look at: the syntax trees of a package, nothing of it imported."""
