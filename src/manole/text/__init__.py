"""Language, read once for everybody: words, stems, languages, compounds."""
