// Package examples holds first bots in several languages: whole programs to begin with.
package examples

import "embed"

// FirstBots returns the first bots, each in a folder named after its language.
func FirstBots() embed.FS { return files }

//go:embed c/first_bot.c cpp/first_bot.cpp go/first_bot/main.go java/FirstBot.java javascript/first_bot.js python/first_bot.py rust/first_bot.rs
var files embed.FS
