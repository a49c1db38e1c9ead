"""What `make demo` runs: real brokers on this machine, from the design to a repaired network."""
