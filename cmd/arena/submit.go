package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botarena/arena/listing"
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
				return h.showStatus(cmd.Context())
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

// How the host is asked.
const (
	askEvery    = 500 * time.Millisecond
	mostPause   = 5 * time.Second  // after no answer
	askFor      = 10 * time.Minute // in vain
	answerTime  = 2 * time.Minute
	mostAnswer  = 64 << 20
	logLines    = 20 // of a step that refused
	contentForm = "application/x-www-form-urlencoded"
)

// A leagueHost is the host of a league as a team talks to it.
type leagueHost struct {
	*app
	url, token string // the url has no slash at its end
	json       bool
	client     *http.Client
	league     web.LeagueReport
	last       int // the number of the team's last submission
}

// A hostError is an answer of a host that refuses what was asked for.
type hostError struct {
	status int
	why    string
}

func (e *hostError) Error() string { return e.why }

// joinLeague finds out the host's address and the team's token, and whether they are good.
func (a *app) joinLeague(ctx context.Context, x *submitFlags) (*leagueHost, error) {
	kept := a.readTokens()
	if x.to == "" && len(kept) == 1 {
		x.to = kept[0].url
	}
	if x.to == "" {
		return nil, usagef("--to is missing: the league's address, such as https://league.example.org")
	}
	at, err := hostURL(x.to)
	if err != nil {
		return nil, usagef("--to %s: %w", x.to, err)
	}
	h := &leagueHost{app: a, url: at, json: x.json, client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerTime},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if err := h.read(ctx, "/league.json", &h.league); err != nil {
		return nil, err
	}
	if h.league.League == "" {
		return nil, h.noHost("its answer is of something else")
	}
	token, asked, err := a.token(x.tokenFile, h.url, kept)
	if err != nil {
		return nil, err
	}
	h.token = token
	if u, _ := url.Parse(at); u.Scheme == "http" && !isLoopback(u.Hostname()) {
		fmt.Fprintf(a.err, "warning: %s is without TLS: anybody on the way can read your token and your bot\n", at)
	}
	var team web.TeamReport
	if err := h.read(ctx, "/team.json", &team); err != nil {
		return nil, err
	}
	if len(team.Submissions) > 0 {
		h.last = team.Submissions[0].Number
	}
	if asked {
		a.keepToken(h.url, token)
	}
	if !x.json && !x.status {
		fmt.Fprintf(a.out, "%s · team %s\n", h.league.League, team.Team)
	}
	return h, nil
}

// hostURL returns the address of a host without the page that was named with it.
func hostURL(to string) (string, error) {
	if !strings.Contains(to, "://") {
		scheme := "https://"
		host, _, _ := strings.Cut(to, "/")
		if name, _, err := net.SplitHostPort(host); err == nil && (isLoopback(name) || net.ParseIP(name) != nil) {
			scheme = "http://"
		}
		to = scheme + to
	}
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return "", errors.New("this is no address; write https://HOST or http://HOST:PORT")
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return "", errors.New("write https://HOST or http://HOST:PORT")
	case u.User != nil:
		return "", errors.New("leave out the name and the password: a team has a token")
	}
	return u.Scheme + "://" + u.Host, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// noHost returns the error for an address at which no league is.
func (h *leagueHost) noHost(why string) error {
	return fmt.Errorf("%s: there is no league of an arena host (%s); look at the address", h.url, why)
}

// read asks for JSON.
func (h *leagueHost) read(ctx context.Context, path string, into any) error {
	return h.ask(ctx, http.MethodGet, path, "", nil, 0, into)
}

// ask sends a request and reads what is answered. The error is a *hostError for an answer
// that refuses, or says that there was none.
func (h *leagueHost) ask(ctx context.Context, method, path, kind string, body io.Reader, size int64, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, h.url+path, body)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Expect", "100-continue") // what is refused is not sent
		req.ContentLength = size
	}
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	req.Header.Set("Accept", "application/json")
	answer, err := h.client.Do(req)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err
		}
		return fmt.Errorf("%s: %w", h.url, err)
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("%s: %w", h.url, err)
	}
	var refused struct{ Error string }
	switch {
	case answer.StatusCode/100 == 3:
		return fmt.Errorf("%s leads to %s: give that as --to", h.url, text.Line(answer.Header.Get("Location"), 200))
	case answer.StatusCode/100 == 2 && json.Unmarshal(data, into) == nil:
		return nil
	case answer.StatusCode/100 == 2, json.Unmarshal(data, &refused) != nil, refused.Error == "":
		return h.noHost(answer.Status)
	}
	return &hostError{answer.StatusCode, refused.Error}
}

// submit hands in a file or a folder, and follows what becomes of it.
func (h *leagueHost) submit(ctx context.Context, path string) error {
	switch h.league.State {
	case "announced":
		return fmt.Errorf("the league takes bots from %s on", h.league.Opens.Format(time.DateTime+" MST"))
	case "closed", "ended":
		return fmt.Errorf("the league has taken no more bots since %s", h.league.Closes.Format(time.DateTime+" MST"))
	}
	name, file, end, err := h.openBot(path)
	if err != nil {
		return err
	}
	defer end()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() > h.league.Size {
		return fmt.Errorf("%s has %d bytes; the league takes at most %d: leave out what the bot does not need", path, info.Size(), h.league.Size)
	}
	var head bytes.Buffer
	form := multipart.NewWriter(&head)
	if _, err := form.CreateFormFile("file", name); err != nil {
		return err
	}
	foot := strings.NewReader("\r\n--" + form.Boundary() + "--\r\n")
	size := int64(head.Len()) + info.Size() + foot.Size()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	var sub web.SubmissionReport
	err = h.ask(ctx, http.MethodPost, "/team/submissions", form.FormDataContentType(), io.MultiReader(&head, file, foot), size, &sub)
	if !is[*hostError](err) && err != nil && h.received(ctx, hex.EncodeToString(sum.Sum(nil)), &sub) {
		err = nil // the host went away before it answered
	}
	if err != nil {
		return fmt.Errorf("hand in %s: %w", name, err)
	}
	h.tell("submission %d: %s, %d bytes\n", sub.Number, name, info.Size())
	return h.follow(ctx, sub)
}

// received reports whether the host has a file that it did not answer to.
func (h *leagueHost) received(ctx context.Context, sum string, sub *web.SubmissionReport) bool {
	var team web.TeamReport
	if h.read(ctx, "/team.json", &team) != nil || len(team.Submissions) == 0 {
		return false
	}
	*sub = team.Submissions[0]
	return sub.Number > h.last && sub.SHA256 == sum
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
		if err := h.patiently(ctx, fmt.Sprintf("submission %d was received, but the host has not answered for %%s; `arena submit --status` shows how far it came", sub.Number), func() error { return h.read(ctx, page+".json", &sub) }); err != nil {
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
		select {
		case <-time.After(askEvery):
		case <-ctx.Done():
			return ctx.Err()
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
	h.tell("%s plays: %s/bots/%s\n", sub.Bot, h.url, url.PathEscape(sub.Bot))
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

// patiently asks until the host answers, unless it refuses, or does not for long, which late says
// of the time.
func (h *leagueHost) patiently(ctx context.Context, late string, ask func() error) error {
	begun, told := time.Now(), false
	for pause := askEvery; ; pause = min(2*pause, mostPause) {
		err := ask()
		var refused *hostError
		if err == nil || errors.As(err, &refused) && refused.status < 500 && refused.status != http.StatusTooManyRequests || ctx.Err() != nil {
			return err
		}
		if time.Since(begun) > askFor {
			return fmt.Errorf(late+": %w", text.Duration(askFor), err)
		}
		if !told {
			fmt.Fprintf(h.err, "the host does not answer; asking again (%v)\n", err)
			told = true
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// challenge asks for unrated games.
func (h *leagueHost) challenge(ctx context.Context, bot string, games int) error {
	form := url.Values{"bot": {bot}, "games": {fmt.Sprint(games)}}.Encode()
	var c web.ChallengeReport
	if err := h.ask(ctx, http.MethodPost, "/team/challenges", contentForm, strings.NewReader(form), int64(len(form)), &c); err != nil {
		return fmt.Errorf("challenge %s: %w", bot, err)
	}
	if h.json {
		return h.printJSON(&c)
	}
	h.tell("%s against %s, unrated, %s: %s/team#challenges\n", text.Plural(c.Games, "game"), c.Opponent, c.State, h.url)
	return nil
}

// showStatus lists what the team handed in, and how it plays.
func (h *leagueHost) showStatus(ctx context.Context) error {
	var team web.TeamReport
	if err := h.read(ctx, "/team.json", &team); err != nil {
		return err
	}
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
