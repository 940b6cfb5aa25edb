package config

// Keys lists all keys that an event file may have, as paths without indexes,
// such as "bots.clock.move".
func Keys() []string {
	r := &reader{decoder: &decoder{}}
	var paths []string
	var walk func(prefix string, keys []key)
	walk = func(prefix string, keys []key) {
		for _, k := range keys {
			paths = append(paths, join(prefix, k.name))
			walk(join(prefix, k.name), k.sub)
		}
	}
	walk("", r.keys())
	return paths
}
