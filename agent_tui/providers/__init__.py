NOT_REGISTERED = ("base", "choose", "keys", "presets", "services", "wire", "wire_log")
