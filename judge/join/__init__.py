"""Clients of somebody's server: a bot or a person at a table of BSP or Xterm Boat Sinker."""
