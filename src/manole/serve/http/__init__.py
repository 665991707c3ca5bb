"""HTTP: `manole serve`. Routes by topic over one `Service`; see `app.create_app`."""
