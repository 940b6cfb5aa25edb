// Package web serves a record as pages: events, standings, games, bots, tests, as HTML
// with the same data beside it as JSON and CSV.
//
// [New] returns the pages of one database as an http.Handler; nothing of it writes
// to the database. It is all server-rendered and readable without JavaScript;
// scripts only add to it.
//
// # How to add a page
//
// A page is a [page] value in the list of [Server.pages]: the pattern of its path
// as http.ServeMux has it, a template, and a function that loads what it shows:
//
//	page{pattern: "/bots/{bot}", template: "bot", load: loadBot}
//
//	func loadBot(ctx context.Context, r *request) (*content, error)
//
// The template is a file in templates that defines "content"; layout.html puts it
// between head and foot. It is given what load returns as content.Data; "$.Data" in
// a nested scope. Content.JSON and content.CSV are what the page's address answers with
// ".json" and ".csv" appended; leave them nil if there is none, and the address is not
// found. Content.Scripts names scripts in assets that the page needs.
//
// Addresses are written as absolute paths; names in them go through [segment], as in the
// template function "botURL", and come back through request.name. Static sites have them
// made relative afterwards. Files in assets are named by "asset":
//
//	<a href="{{botURL .Bot}}">{{template "name" .Bot}}</a>
//	<script src="{{asset "replay.js"}}" defer></script>
//
// A handler that is no page (a stream, a form's target) is a [route] in the list of
// [Server.routes]. Both lists have a function a file that adds to them.
//
// # What every answer has
//
// One place escapes what strangers wrote: html/template escapes markup by its
// context, and the writer below it whatever a terminal would obey or nobody can
// see (package text), for HTML, JSON and CSV alike. Names of bots and events are set apart
// from the direction of the text around them (template "name").
//
// The policy allows scripts, styles and pictures of the server itself, none
// inline: no style attribute, no event handler, no style element in an SVG.
//
// A page is made anew when the record has changed, else answered from the cache, or
// with 304 if the reader has it: its ETag is made of the record's version, that of the
// program's templates and its address. A page that takes long to make is given as it was
// for a moment (type pageCache); ratings are kept until a game of their own events has
// ended (type remembered). A page with live set shows what is not in the record, and is
// always made anew. A page refuses parameters that it does not name in query.
//
// A page with content.Follow changes while it is looked at: assets/feed.js reads the live
// feed, fetches the page again when what it shows has changed, and replaces the parts
// that differ. Elements with data-fresh are the only ones to be replaced, if there are any.
//
// # Hosts
//
// With a [Host] in the configuration there are pages of its league: /league and its view
// for a projector, /team with a form to sign in, and what a team handed in. Forms need no
// scripts; the same addresses take a team's token as "Authorization: Bearer TOKEN" and
// answer with JSON.
//
//   - A token is a header's or a cookie's (HttpOnly, SameSite=Strict, Secure under TLS, one
//     a league) and is asked about at each request. Who guesses from an address has ten at
//     once and one each ten seconds; teams that were known before the guesses pass. Only a
//     proxy on this machine is believed when it says where a request comes from.
//   - Server.gated alone decides who sees games and standings. A new page is closed unless
//     isOpen names its pattern, and a page that several visitors share knows no team.
//   - A page of a team is made for each request, and kept by nobody. Its bots' stderr, logs
//     of steps and files are read by the team's name, which is its token's.
//   - An upload is bounded in bytes, in time (as long as something comes, ten minutes), in
//     number, and by team. It is handed on as it comes; where it is cut off or is too large,
//     the host is told so by the error of reading, and records nothing.
//   - Whoever reads the pages of a host is no [Local] reader: logs are the owner's and, of
//     its own bot, the team's.
package web
