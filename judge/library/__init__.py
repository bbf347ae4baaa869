"""The library: what `import judge` gives. It prints nothing, never ends the process and reads no
settings."""
