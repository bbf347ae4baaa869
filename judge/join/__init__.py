"""Clients of servers that strangers run: a bot or a person in a game of BSP or Xterm Boat Sinker,
and uploads to a hosted ladder."""
