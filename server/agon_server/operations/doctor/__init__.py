"""What `agon doctor` does: looks at a store and a data folder, and says what is not as it should be. Changes nothing.

`store_look`, `folder_look` and `archive_look` read; `matches`, `standing`, `folder` and `archive` judge what was read,
each check a pure function; `diagnose` puts them together.
"""
