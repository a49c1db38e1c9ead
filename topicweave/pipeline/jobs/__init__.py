"""The jobs, one per file, all of one shape; :mod:`topicweave.pipeline` exports them by name."""
