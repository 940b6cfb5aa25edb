// Package standings says who stands where: it reads results from the store and
// computes leaderboards, crosstables, brackets, tests, histories and lists of games,
// as data whose field names are those of the JSON. Commands print it, pages show it.
package standings
