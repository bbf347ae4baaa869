"""The library: what `import judge` gives. It prints nothing, ends nothing and reads no settings."""
