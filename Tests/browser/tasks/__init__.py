"""Thirty tasks of a user's day, each done with the mouse, by keyboard alone and on a phone."""
