"""SHADOW, §VI: backups, and overlays kept topic-connected under churn."""
