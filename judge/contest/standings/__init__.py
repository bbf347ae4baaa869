"""The results of the games of a contest or a fight: tables, histories, comparisons, documents."""
