NOT_REGISTERED = ("base", "choose", "presets", "wire")
