"""Texts, tables, pictures and pages for people. This room returns them and prints nothing."""
