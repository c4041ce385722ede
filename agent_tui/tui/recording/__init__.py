"""What happened on a screen, written down so that another process draws the same frames. Pure: no
files, no clock."""
