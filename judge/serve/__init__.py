"""Servers over TCP: games of BSP and XBS, the live page, and the hosted ladder."""
