// Package rating turns results of games into numbers: incremental Elo ([Elo]),
// maximum-likelihood ratings with error bars ([Rate]) and which pairing to play next
// ([Chooser]). Package sprt analyses the games of two bots. It consists of pure
// functions of results: no clock, no files, no database.
//
// Everything is in Elo: a difference of 400 is odds of ten to one. Where a
// function is random it takes a seed, and the same seed gives the same result.
package rating
