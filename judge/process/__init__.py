"""Programs of strangers: found, started, limited, listened to, ended."""
