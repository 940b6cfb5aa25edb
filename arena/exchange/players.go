package exchange

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"botarena/arena"
	"botarena/arena/rating"
)

// players numbers the players of files. Versions of a bot are players of their own,
// told apart by fingerprint if the file has one, else by version number.
type players struct {
	number map[string]int32 // by key
	list   []player
	key    []byte // of the player looked up last
}

type player struct {
	name        string
	fingerprint string // "" if it is not known
	version     string // its number, as far as it is known
}

// of returns the number of a player.
func (p *players) of(who player) int32 {
	p.key = append(append(append(p.key[:0], who.name...), 0), who.fingerprint...)
	if who.fingerprint == "" { // else another database counts otherwise
		p.key = append(append(p.key, 0), who.version...)
	}
	if i, ok := p.number[string(p.key)]; ok {
		return i
	}
	if p.number == nil {
		p.number = map[string]int32{}
	}
	i := int32(len(p.list))
	p.number[string(p.key)] = i
	p.list = append(p.list, player{strings.Clone(who.name), strings.Clone(who.fingerprint), strings.Clone(who.version)}) // keep no file's text
	return i
}

// names returns each player's name in a table: the bot's name, or "bot v2" if several
// versions of the bot are distinguished. The number is the file's, or else follows the
// order of first games. links are the versions that follow each other.
func (p *players) names() (list []string, links []rating.Link) {
	versions := map[string][]int32{} // those told apart
	for i, who := range p.list {
		versions[who.name] = append(versions[who.name], int32(i))
	}
	names := make([]string, len(p.list))
	for name, list := range versions {
		apart := slices.DeleteFunc(slices.Clone(list), func(i int32) bool { return p.list[i].fingerprint+p.list[i].version == "" })
		for _, i := range list {
			names[i] = name
		}
		if len(apart) < 2 {
			continue
		}
		taken := map[string]bool{}
		for _, numbered := range []bool{true, false} {
			for k, i := range apart {
				if names[i] != name {
					continue
				}
				version := p.list[i].version
				if !numbered {
					for k++; version == "" || taken[version]; k++ {
						version = fmt.Sprint(k)
					}
				}
				if version == "" || taken[version] {
					continue // the first that the files call so
				}
				taken[version] = true
				p.list[i].version = version
				names[i] = arena.VersionName(name, version, func(name string) bool { return versions[name] != nil })
			}
		}
		slices.SortStableFunc(apart, func(i, k int32) int { return cmp.Compare(p.list[i].count(), p.list[k].count()) })
		for k, i := range apart[1:] {
			links = append(links, rating.Link{Older: names[apart[k]], Newer: names[i]})
		}
	}
	slices.SortFunc(links, func(a, b rating.Link) int { return cmp.Compare(a.Newer, b.Newer) })
	return names, links
}

// count returns the version's number; 0 for another text.
func (p player) count() int {
	n, _ := strconv.Atoi(p.version)
	return n
}
