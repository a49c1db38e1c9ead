"""LOW (ICDCS 2010), §V and §VI: Low-ODA compared with GM and MinMax-ODA, and overlays of constant diameter."""
