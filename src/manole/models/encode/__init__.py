"""Text to vectors, and pairs of texts to scores: encoders in ONNX, or an endpoint."""
