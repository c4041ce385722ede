"""Skills: prepared prompts that the person runs as `/name …` and the model can load by name."""
