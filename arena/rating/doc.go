// Package rating turns results of games into numbers: incremental Elo ([Elo]),
// maximum-likelihood ratings with error bars ([Rate]) and which pairing to play next
// ([Chooser]). Package sprt analyses the games of two bots. It consists of pure
// functions of results: no clock, no files, no database.
//
// Everything is in Elo: a difference of 400 is odds of ten to one. Where a
// function is random it takes a seed, and the same seed gives the same result.
//
// Sources: Elo 1978 (incremental ratings); Davidson 1970 (draws); White 1980, Liang and
// Zeger 1986 (errors by pairs, the clustered sandwich); Ford 1957, Albert and Anderson
// 1984 (when the maximum exists); Balduzzi, Tuyls, Perolat and Graepel 2018 (the Nash
// average); Russo 2016 (top-two Thompson sampling); Coulom 2008 (versions linked in one
// fit). Of package sprt: Wald 1945 and Van den Bergh's notes on Fishtest (the test,
// normalized Elo); Siegmund 1985 (the estimate after a stop).
package rating
