"""Servers over TCP: games by the protocols BSP and XBS, the live page, and the hosted ladder."""
