"""The library: what `import judge` gives. The library prints nothing, never ends the process and
reads no settings."""
