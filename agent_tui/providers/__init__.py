NOT_REGISTERED = ("base", "choose", "keys", "presets", "wire", "wire_log")
