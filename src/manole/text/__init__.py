"""Language, read once for everybody: words, forms, sentences, names, numbers, days, languages."""
