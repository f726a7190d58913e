"""What to play next: blocks and their rotations, who may meet, the endless ladder, and the proof that a schedule is
fair. Pure: who is connected and which matches ended is told to it; queueing matches is the server's.
"""
