"""What tools/bench is made of: the rows, who runs them, and what is told of the results."""
