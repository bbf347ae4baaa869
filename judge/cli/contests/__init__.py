"""The parts that `judge rank` puts together: the field, the plan, the course, the events, the
progress."""
