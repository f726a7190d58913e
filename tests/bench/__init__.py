"""`make bench`: what the project promises about speed and memory, measured. Nothing here runs in the tests."""
