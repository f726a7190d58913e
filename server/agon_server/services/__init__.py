"""The gRPC services of a server: who calls, and how it is answered. What a call does is in `operations`."""
