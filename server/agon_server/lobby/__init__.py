"""The lobby: who is connected, what they play, and how Offers reach them."""
