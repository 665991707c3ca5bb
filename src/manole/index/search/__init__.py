"""Finding passages and pages: by words, by meaning, fused, reranked."""
