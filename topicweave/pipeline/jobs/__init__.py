"""The jobs, one per file, all with the same structure; :mod:`topicweave.pipeline` exports them by name."""
