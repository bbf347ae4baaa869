"""The library: what `import judge` gives. The library prints nothing, never ends the process, and
reads neither judge.toml nor a ``JUDGE_`` variable."""
