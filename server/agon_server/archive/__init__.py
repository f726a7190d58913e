"""The archive of match records: a folder of gzipped lines with an index."""
