package web

import (
	"context"
	"slices"
	"strings"
)

// An endpoint describes an address of data.
type endpoint struct {
	URL     string
	What    string
	Command string // that prints the same
	Example string // an address that answers here; "" if the record has nothing for it
}

func loadAPI(ctx context.Context, r *request) (*content, error) {
	events, err := r.events(ctx)
	if err != nil {
		return nil, err
	}
	var event, game, bot, other, test, tuning string
	for i := range events {
		e := &events[i]
		if e.Archived {
			continue
		}
		event, game = e.Name, e.Game
		if len(e.Entries) > 1 {
			bot, other = e.Entries[0].Name, e.Entries[1].Name
		}
	}
	for i := range events {
		if hasTest(&events[i]) && len(events[i].Entries) == 2 { // no race
			test = events[i].Name
		}
		if isTuning(&events[i]) {
			tuning = events[i].Name
		}
	}
	list := []endpoint{
		{"/index.json", "Events that are being played, the latest others, their last games and faults", "", "/index.json"},
		{"/events.json, /events.csv", "All events; ?all=1 has archived ones as well", "arena events", "/events.json"},
		{"/events/EVENT.json", "An event: its leaderboard, crosstable, bracket, last faults, next games and configuration", "", "/events/EVENT.json"},
		{"/events/EVENT/leaderboard.json, .csv", "Ratings with intervals", "arena leaderboard --event EVENT", "/events/EVENT/leaderboard.json"},
		{"/events/EVENT/crosstable.json, .csv", "What each bot did against each other, by side", "arena crosstable --event EVENT", "/events/EVENT/crosstable.csv"},
		{"/events/EVENT/games.json, .csv", "Games with their moves, in the order of the schedule, at most 10,000 a request: bot, against, side, result, reason and faults=1 choose, after=NUMBER goes on, limit=N takes fewer", "arena games --event EVENT", "/events/EVENT/games.json?limit=5"},
		{"/leaderboard.json", "The games that have a leaderboard", "", "/leaderboard.json"},
		{"/leaderboard/GAME.json, .csv", "Ratings over all events of a game", "arena leaderboard --game GAME", "/leaderboard/GAME.json"},
		{"/bots.json, /bots.csv", "All bots", "", "/bots.json"},
		{"/bots/BOT.json, .csv", "A bot: versions, events, ratings over games, results by opponent, side and opening, faults", "", "/bots/BOT.json"},
		{"/compare/A/B.json", "Two bots against each other, a game each; ?event=EVENT takes one event alone", "", "/compare/BOT/OTHER.json"},
		{"/sprt/EVENT.json, .csv", "A sequential test: ratio, verdict, estimate, pairs, what is left", "arena sprt A B --json", "/sprt/TEST.json"},
		{"/tune/EVENT.json, .csv", "A tuning: the values of its parameters with intervals, and their path", "arena tune --event EVENT --json", "/tune/TUNING.json"},
		{"/rules/GAME.json", "The rules of a game for players, part by part", "arena rules GAME --json", "/rules/chess.json"},
		{"/fleet.json, /fleet.csv", "The machines that play for events here: slots, speed, games, faults, last sign of life", "arena fleet list", "/fleet.json"},
	}
	if r.config.Host != nil {
		list = append(list,
			endpoint{"/league.json, .csv", "The league: when it opens and closes, languages, ladder, newest bots", "", "/league.json"},
			endpoint{"/team.json", "With a team’s token (Authorization: Bearer TOKEN): submissions and how many are left today, versions with ratings, problem opponents, faults, challenges", "arena submit --status", ""},
			endpoint{"/team/submissions/N.json", "With a team’s token: a submission and its steps with logs", "", ""},
			endpoint{"/queue.json, .csv", "Experiments: those that are not over, in the order in which they are played, and the last ones that are", "arena queue", "/queue.json"},
			endpoint{"/queue/N.json", "An experiment: its state, verdict, games and cost, and its outcome", "arena queue wait N", ""},
			endpoint{"/queue", "With a team’s token, by POST: an experiment of the form’s fields “event”, “bots”, “priority” and files", "arena sprt A B --to URL", ""},
			endpoint{"/queue/N", "With a team’s token, by POST: the field “priority” gives an experiment another one, “stop” ends it", "arena queue stop N", ""},
			endpoint{"/team/submissions", "With a team’s token, by POST: the form’s field “file” is handed in", "arena submit PATH", ""},
			endpoint{"/team/challenges", "With a team’s token, by POST: unrated games, of the form’s fields “bot” and “games”", "arena submit --challenge BOT", ""},
		)
	}
	names := map[string]string{"EVENT": event, "GAME": game, "BOT": bot, "OTHER": other, "TEST": test, "TUNING": tuning}
	fill := strings.NewReplacer("EVENT", segment(event), "GAME", segment(game), "BOT", segment(bot), "OTHER", segment(other), "TEST", segment(test), "TUNING", segment(tuning))
	for i := range list {
		example := list[i].Example
		list[i].Example = fill.Replace(example)
		for word, name := range names {
			if name == "" && strings.Contains(example, word) {
				list[i].Example = ""
			}
		}
	}
	if r.site { // its games' data have what two bots did against each other
		list = slices.DeleteFunc(list, func(e endpoint) bool { return strings.HasPrefix(e.URL, "/compare/") })
	}
	return &content{Title: "Data", Data: map[string]any{"Endpoints": list, "Site": r.site}}, nil
}
