package config

import (
	"reflect"

	"botarena/arena"
)

// A Key is one that an event file may have.
type Key struct {
	Path    string // without indexes, such as "bots.clock.move"
	Setting arena.Setting
}

// Keys lists all keys that an event file may have.
func Keys() []Key {
	var keys []Key
	var walk func(prefix string, all []arena.Setting)
	walk = func(prefix string, all []arena.Setting) {
		for _, s := range all {
			path := join(prefix, s.Key)
			keys = append(keys, Key{path, s})
			switch s.Value.Kind() {
			case reflect.Pointer:
				walk(path, arena.Settings(reflect.New(s.Value.Type().Elem()).Interface()))
			case reflect.Struct:
				walk(path, arena.Settings(s.Value.Addr().Interface()))
			case reflect.Slice:
				if _, ok := s.Value.Interface().([]arena.Param); ok {
					walk(path, arena.Settings(new(arena.Param)))
				}
			}
		}
	}
	walk("", new(file).top())
	walk("bots", arena.Settings(new(bot)))
	walk("game", []arena.Setting{arena.Settings(new(game))[0]})
	keys = append(keys, Key{Path: "game.rules"})
	walk("game.rules", rulesSettings(new(arena.Bot)))
	return keys
}

// EventSettings, BotSettings, GameSettings and RulesSettings list the settings of an event
// file, of one of its bots, of a game whose rules are a program, and of such a program.
func EventSettings() []arena.Setting { return new(file).top() }

func BotSettings() []arena.Setting { return arena.Settings(new(bot)) }

func GameSettings() []arena.Setting { return arena.Settings(new(game)) }

func RulesSettings() []arena.Setting { return rulesSettings(new(arena.Bot)) }
