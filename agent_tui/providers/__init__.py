NOT_REGISTERED = ("base", "choosing", "dialects", "facts", "script", "services", "wire")
