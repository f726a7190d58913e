"""What came of matches as one value, and that value as text, JSON, CSV and HTML. Pure: facts in, texts out."""
