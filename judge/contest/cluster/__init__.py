"""Games on other machines: tasks and results as documents, the workers, and the pool that sends
tasks."""
