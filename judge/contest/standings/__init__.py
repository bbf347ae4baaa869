"""What the games of a contest or a fight come to: tables, histories and documents."""
