NOT_REGISTERED = ("base", "choose", "wire")
