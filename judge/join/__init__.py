"""Clients of a stranger's server: a bot or a person at a table of BSP or Xterm Boat Sinker, and
uploads to a hosted ladder."""
