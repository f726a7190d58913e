"""The server: referee, lobby, queue, ladders, archive, services, metrics and the command line."""
