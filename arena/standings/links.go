package standings

import (
	"cmp"
	"slices"

	"botarena/arena"
	"botarena/arena/rating"
)

// links returns the links between versions of bots, of those with these names that have
// played, and the standard deviation of their differences in Elo, 0 to estimate it; none if
// versions are not linked.
func (s *Selection) links(names map[arena.BotVersion]string, played []string) (links []rating.Link, spread float64, err error) {
	on, spread, err := cmp.Or(s.LinkVersions, s.Config.LinkVersions).Parse()
	if !on || err != nil {
		return nil, 0, err
	}
	versions := map[string][]arena.BotVersion{}
	for v, name := range names {
		if slices.Contains(played, name) {
			versions[v.Name] = append(versions[v.Name], v)
		}
	}
	join := func(older, newer arena.BotVersion) {
		links = append(links, rating.Link{Older: names[older], Newer: names[newer]})
	}
	for _, list := range versions {
		slices.SortFunc(list, func(a, b arena.BotVersion) int { return a.Version - b.Version })
		for k := range list[1:] {
			join(list[k], list[k+1])
		}
	}
	for name, list := range versions {
		next := s.Replaced[name]
		for range s.Replaced { // those between that have no games
			if versions[next] != nil || next == "" {
				break
			}
			next = s.Replaced[next]
		}
		if newer := versions[next]; newer != nil && next != name {
			join(list[len(list)-1], newer[0])
		}
	}
	slices.SortFunc(links, func(a, b rating.Link) int {
		return cmp.Or(cmp.Compare(a.Older, b.Older), cmp.Compare(a.Newer, b.Newer))
	})
	return links, spread, nil
}
