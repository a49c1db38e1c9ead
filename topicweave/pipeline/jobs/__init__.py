"""The jobs, a file each, all of one shape; :mod:`topicweave.pipeline` has them by their names."""
