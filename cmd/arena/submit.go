package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/host/client"
	"botarena/arena/listing"
	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/arena/web"
)

// submitFlags are those of arena submit.
type submitFlags struct {
	to, tokenFile, challenge string
	games                    int
	status, json             bool
}

func (a *app) submitCommand() *cobra.Command {
	var x submitFlags
	cmd := &cobra.Command{
		Use:   "submit [PATH] --to URL",
		Short: "Hand a bot in to a league that a host runs",
		Long: `Hand a bot in to a league that "arena host" runs: a source file, a zip or tar.gz, or a
folder, which is packed without what is no part of a bot (.git, __pycache__ and the
like). Each step is shown as it happens: received, unpacked, built, checked, tried,
entered. It ends with exit code 0 only when the bot has entered, and with 1 and the
reason when it is refused. When the host does not answer meanwhile, it asks again.

The token of your team is read from --token-file, or from ARENA_TOKEN; else it is
asked for once, and kept in a file that you alone can read. --to may be left out
where you have handed in to one league only.

--status shows what your team has handed in and how it plays; --challenge BOT asks
for unrated games against a bot of the league.`,
		Example: `  arena submit my_bot.py --to https://league.example.org
  arena submit my_bot/ --to 192.0.2.7:8080 --token-file token
  arena submit --status
  arena submit --challenge minimax --games 4`,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && (x.status || x.challenge != ""):
				return usagef("a PATH is handed in: leave it out, or --status and --challenge")
			case len(args) == 0 && !x.status && x.challenge == "":
				return usagef("name the file or the folder of the bot to hand in, or give --status or --challenge BOT")
			case cmd.Flags().Changed("games") && x.challenge == "":
				return usagef("--games goes with --challenge BOT")
			}
			h, err := a.joinLeague(cmd.Context(), &x)
			if err != nil {
				return err
			}
			switch {
			case x.status:
				return h.showStatus()
			case x.challenge != "":
				return h.challenge(cmd.Context(), x.challenge, x.games)
			}
			return h.submit(cmd.Context(), args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&x.to, "to", "", "the league's address, such as https://league.example.org: an `URL`")
	f.StringVar(&x.tokenFile, "token-file", "", "the `file` with your team's token")
	f.StringVar(&x.challenge, "challenge", "", "play unrated games against this `bot` of the league")
	f.IntVar(&x.games, "games", 2, "how many `games` a challenge is of")
	f.BoolVar(&x.status, "status", false, "show what your team has handed in, and how it plays")
	f.BoolVar(&x.json, "json", false, "print JSON: what became of the bot, or what --status or --challenge tell")
	cmd.MarkFlagsMutuallyExclusive("status", "challenge")
	return cmd
}

// logLines is how many lines are shown of the log of a step that refused.
const logLines = 20

// A leagueHost is the host of a league as a team talks to it.
type leagueHost struct {
	*client.Host
	*app
	json bool
	team web.TeamReport
}

// joinLeague finds out the host's address and the team's token, and whether they are good.
func (a *app) joinLeague(ctx context.Context, x *submitFlags) (*leagueHost, error) {
	kept := a.readTokens()
	if x.to == "" && len(kept) == 1 {
		x.to = kept[0].url
	}
	if x.to == "" {
		return nil, usagef("--to is missing: the league's address, such as https://league.example.org")
	}
	at, err := client.Address(x.to)
	if err != nil {
		return nil, usagef("--to %s: %w", x.to, err)
	}
	h := &leagueHost{app: a, json: x.json}
	if h.Host, err = client.Find(ctx, at, func(line string) { fmt.Fprintln(a.err, line) }); err != nil {
		return nil, err
	}
	token, asked, err := a.token(x.tokenFile, at, kept)
	if err != nil {
		return nil, err
	}
	if h.team, err = h.SignIn(ctx, token); err != nil {
		return nil, err
	}
	if asked {
		a.keepToken(at, token)
	}
	if !x.json && !x.status {
		fmt.Fprintf(a.out, "%s · team %s\n", h.League.League, h.team.Team)
	}
	return h, nil
}

// submit hands in a file or a folder, and follows what becomes of it.
func (h *leagueHost) submit(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err != nil {
		return usageError(err)
	} else if !info.Mode().IsRegular() && !info.IsDir() {
		return usagef("%s is neither a file nor a folder", path)
	}
	sub, name, size, err := h.Submit(ctx, path)
	if err != nil {
		return fileError(err)
	}
	h.tell("submission %d: %s, %d bytes\n", sub.Number, name, size)
	return h.follow(ctx, sub)
}

// tell prints what happens, but for JSON.
func (h *leagueHost) tell(format string, args ...any) {
	if !h.json {
		fmt.Fprintf(h.out, format, args...)
	}
}

// follow shows the steps of a submission until none remains.
func (h *leagueHost) follow(ctx context.Context, sub web.SubmissionReport) error {
	shown := 0
	page := fmt.Sprintf("/team/submissions/%d", sub.Number)
	for {
		if err := h.Patiently(ctx, fmt.Sprintf("submission %d was received, but the host has not answered for %%s; `arena submit --status` shows how far it came", sub.Number), func() error { return h.Read(ctx, page+".json", &sub) }); err != nil {
			return err
		}
		for ; shown < len(sub.Steps) && sub.Steps[shown].State == "done"; shown++ {
			p := &sub.Steps[shown]
			took := ""
			if p.Began != nil && p.Ended != nil && p.Ended.Sub(*p.Began) >= 100*time.Millisecond {
				took = text.Duration(p.Ended.Sub(*p.Began))
			}
			h.tell("%s\n", strings.TrimRight(fmt.Sprintf("  %-10s %s", p.Step, took), " "))
		}
		if !sub.Pending {
			break
		}
		if err := client.Wait(ctx, client.AskEvery); err != nil {
			return err
		}
	}
	if h.json {
		if err := h.printJSON(&sub); err != nil {
			return err
		}
	}
	switch sub.State {
	case "refused":
		for _, p := range sub.Steps {
			if p.State == "refused" && !h.json {
				h.tell("  %-10s refused\n", p.Step)
				h.showLog(p.Log)
			}
		}
		return fmt.Errorf("submission %d was refused when it should be %s: %s", sub.Number, sub.Refused, sub.Reason)
	case "benched":
		return fmt.Errorf("submission %d has entered, but plays no more: %s", sub.Number, sub.Reason)
	}
	h.tell("%s plays: %s/bots/%s\n", sub.Bot, h.URL, url.PathEscape(sub.Bot))
	return nil
}

// showLog prints the end of a log.
func (h *leagueHost) showLog(log string) {
	lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
	if cut := len(lines) - logLines; cut > 0 {
		lines = append([]string{fmt.Sprintf("(%s more; the page has them)", text.Plural(cut, "line"))}, lines[cut:]...)
	}
	for _, line := range lines {
		if line != "" {
			h.tell("    %s\n", line)
		}
	}
}

// challenge asks for unrated games.
func (h *leagueHost) challenge(ctx context.Context, bot string, games int) error {
	var c store.Challenge
	if err := h.Send(ctx, "/team/challenges", url.Values{"bot": {bot}, "games": {fmt.Sprint(games)}}, &c); err != nil {
		return fmt.Errorf("challenge %s: %w", bot, err)
	}
	if h.json {
		return h.printJSON(&c)
	}
	h.tell("%s against %s, unrated, %s: %s/team#challenges\n", text.Plural(c.Games, "game"), c.Opponent, c.State, h.URL)
	return nil
}

// showStatus lists what the team handed in, and how it plays.
func (h *leagueHost) showStatus() error {
	team := h.team
	if h.json {
		return h.printJSON(&team)
	}
	t := listing.Table{Title: fmt.Sprintf("%s · team %s", team.League, team.Team), Columns: []listing.Column{
		{Name: "No"}, {Name: "File", Left: true}, {Name: "State", Left: true}, {Name: "Place"}, {Name: "Elo"}, {Name: "±"}, {Name: "LOS over last", As: listing.Percent}, {Name: "Games"},
	}}
	for _, s := range team.Submissions {
		row := []any{s.Number, s.File, s.State, nil, nil, nil, nil, nil}
		for _, v := range team.Versions {
			if v.Number != s.Number {
				continue
			}
			if v.Rank > 0 {
				row[3] = v.Rank
			}
			for i, x := range []*float64{v.Elo, v.Error} {
				if x != nil {
					row[4+i] = fmt.Sprintf([]string{"%+.0f", "%.0f"}[i], *x)
				}
			}
			row[6], row[7] = v.LOSOverLast, v.Games
		}
		t.Rows = append(t.Rows, row)
		if s.Reason != "" {
			t.Notes = append(t.Notes, fmt.Sprintf("%d: %s", s.Number, s.Reason))
		}
	}
	if team.Left != nil {
		t.Notes = append(t.Notes, text.Plural(*team.Left, "more submission")+" today.")
	}
	if n := team.Before; n != nil && *n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Yours waits behind %s.", text.Plural(*n, "other")))
	}
	return t.Write(h.out, listing.Text)
}
