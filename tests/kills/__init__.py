"""Work that ``kill -9`` interrupts at any moment, and what must hold afterwards: streams, designs and content plans."""
