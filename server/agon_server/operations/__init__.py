"""What organisers, operators and everybody else can ask of an installation, whether or not a server runs on it."""
