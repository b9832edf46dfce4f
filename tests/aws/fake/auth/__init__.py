"""Who calls: credentials and signatures."""
