"""SHADOW, §VI: the choice of backups, and overlays that are kept topic-connected under churn."""
