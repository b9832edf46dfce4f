"""The services' protocols: requests into members of botocore's input shapes, output shapes into replies."""
