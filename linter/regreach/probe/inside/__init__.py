"""What runs in the processes of the probe. Nothing here imports more than the standard library."""
