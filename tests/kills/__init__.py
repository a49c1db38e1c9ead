"""Work that ``kill -9`` ends at any moment: what must hold afterwards, for streams, designs and content plans."""
