"""What the suites over operator rows share: arguments, calls, comparison, the live registry."""
