// Package client talks to the host of a league, for a team of it.
package client

import (
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
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"botarena/arena/text"
	"botarena/arena/web"
)

// How the host is asked.
const (
	AskEvery   = 500 * time.Millisecond // what it works at
	mostPause  = 5 * time.Second        // after no answer
	askFor     = 10 * time.Minute       // in vain
	answerTime = 2 * time.Minute
	mostAnswer = 64 << 20
)

// A Host is the host of a league.
type Host struct {
	URL    string // without a slash at its end
	League web.LeagueReport
	Warn   func(line string) // is told what its user should know

	token  string
	client *http.Client
	last   int // the number of the team's last submission when it signed in
}

// A RefusedError is an answer of a host that refuses what was asked for.
type RefusedError struct {
	Status int
	Why    string
}

// Error returns the host's words.
func (e *RefusedError) Error() string { return e.Why }

// Address returns the address of a host without the page that was named with it.
func Address(to string) (string, error) {
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
	local, err := web.IsLocal(net.JoinHostPort(host, "0"))
	return err == nil && local
}

// Find asks the host at an address for its league.
func Find(ctx context.Context, address string, warn func(string)) (*Host, error) {
	h := &Host{URL: address, Warn: warn, client: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerTime},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if err := h.Read(ctx, "/league.json", &h.League); err != nil {
		return nil, err
	}
	if h.League.League == "" {
		return nil, h.noHost("its answer is of something else")
	}
	return h, nil
}

// SignIn tells the host a team's token from here on, and returns what it has of the team.
func (h *Host) SignIn(ctx context.Context, token string) (team web.TeamReport, err error) {
	h.token = token
	if u, _ := url.Parse(h.URL); u.Scheme == "http" && !isLoopback(u.Hostname()) {
		h.Warn(fmt.Sprintf("warning: %s is without TLS: anybody on the way can read your token and your bot", h.URL))
	}
	if err = h.Read(ctx, "/team.json", &team); err == nil && len(team.Submissions) > 0 {
		h.last = team.Submissions[0].Number
	}
	return team, err
}

// noHost returns the error for an address at which no league is.
func (h *Host) noHost(why string) error {
	return fmt.Errorf("%s: there is no league of an arena host (%s); look at the address", h.URL, why)
}

// Read asks for JSON. The errors are those of Send.
func (h *Host) Read(ctx context.Context, path string, into any) error {
	return h.ask(ctx, http.MethodGet, path, "", nil, into)
}

// Send sends a form, and reads the JSON that answers it. The error is a *RefusedError for an
// answer that refuses, or says that there was none.
func (h *Host) Send(ctx context.Context, path string, form url.Values, into any) error {
	return h.ask(ctx, http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()), into)
}

func (h *Host) ask(ctx context.Context, method, path, kind string, body io.Reader, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, h.URL+path, body)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", kind)
		req.Header.Set("Expect", "100-continue") // what is refused is not sent
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
		return fmt.Errorf("%s: %w", h.URL, err)
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswer))
	if err != nil {
		return fmt.Errorf("%s: %w", h.URL, err)
	}
	var refused struct{ Error string }
	switch {
	case answer.StatusCode/100 == 3:
		return fmt.Errorf("%s leads to %s: give that as --to", h.URL, text.Line(answer.Header.Get("Location"), 200))
	case answer.StatusCode/100 == 2 && json.Unmarshal(data, into) == nil:
		return nil
	case answer.StatusCode/100 == 2, json.Unmarshal(data, &refused) != nil, refused.Error == "":
		return h.noHost(answer.Status)
	}
	return &RefusedError{answer.StatusCode, refused.Error}
}

// A part is a file of an upload, as it is named in the form.
type part struct {
	field, name string
	content     *os.File
}

// upload sends a form with fields, a name and a value each, and files.
func (h *Host) upload(ctx context.Context, path string, fields [][2]string, files []part, into any) error {
	body, to := io.Pipe()
	form := multipart.NewWriter(to)
	go func() {
		var err error
		for _, f := range fields {
			err = errors.Join(err, form.WriteField(f[0], f[1]))
		}
		for _, f := range files {
			w, fileErr := form.CreateFormFile(f.field, f.name)
			if err = errors.Join(err, fileErr); err == nil {
				_, err = io.Copy(w, f.content)
			}
		}
		_ = to.CloseWithError(errors.Join(err, form.Close()))
	}()
	defer func() { _ = body.Close() }()
	return h.ask(ctx, http.MethodPost, path, form.FormDataContentType(), body, into)
}

// Submit hands in a file or a folder. It returns what the host has of it, and the name
// and the size of the file that was sent. The error is an *fs.PathError for a path that cannot be read.
func (h *Host) Submit(ctx context.Context, path string) (sub web.SubmissionReport, name string, size int64, err error) {
	switch h.League.State {
	case "announced":
		return sub, "", 0, fmt.Errorf("the league takes bots from %s on", h.League.Opens.Format(time.DateTime+" MST"))
	case "closed", "ended":
		return sub, "", 0, fmt.Errorf("the league has taken no more bots since %s", h.League.Closes.Format(time.DateTime+" MST"))
	}
	file, end, err := h.open("file", path)
	if err != nil {
		return sub, "", 0, err
	}
	defer end()
	hash := sha256.New()
	if size, err = io.Copy(hash, file.content); err == nil {
		_, err = file.content.Seek(0, io.SeekStart)
	}
	if err != nil {
		return sub, "", 0, err
	}
	if size > h.League.Size {
		return sub, "", 0, fmt.Errorf("%s has %d bytes; the league takes at most %d: leave out what the bot does not need", path, size, h.League.Size)
	}
	err = h.upload(ctx, "/team/submissions", nil, []part{file}, &sub)
	if refused := (*RefusedError)(nil); err != nil && !errors.As(err, &refused) && h.received(ctx, hex.EncodeToString(hash.Sum(nil)), &sub) {
		err = nil // the host went away before it answered
	}
	if err != nil {
		err = fmt.Errorf("hand in %s: %w", file.name, err)
	}
	return sub, file.name, size, err
}

// received reports whether the host has a file that it did not answer to.
func (h *Host) received(ctx context.Context, sum string, sub *web.SubmissionReport) bool {
	var team web.TeamReport
	if h.Read(ctx, "/team.json", &team) != nil || len(team.Submissions) == 0 {
		return false
	}
	*sub = team.Submissions[0]
	return sub.Number > h.last && sub.SHA256 == sum
}

// An Experiment is a test or a match to be queued on a host.
type Experiment struct {
	Event    []byte   // its file
	Bots     []string // where each comes from, as the host reads it
	Paths    []string // of the files and folders of those that are sent
	Book     string   // the file of openings; "" for none
	Priority int
}

// Queue queues an experiment.
func (h *Host) Queue(ctx context.Context, x Experiment) (report web.ExperimentReport, err error) {
	var files []part
	for i, path := range append(slices.Clip(x.Paths), x.Book) {
		field := "file"
		if i == len(x.Paths) {
			field = "book"
		}
		if path == "" {
			continue
		}
		file, end, err := h.open(field, path)
		if err != nil {
			return report, err
		}
		defer end()
		files = append(files, file)
	}
	err = h.upload(ctx, "/queue", [][2]string{
		{"event", string(x.Event)}, {"bots", strings.Join(x.Bots, "\n")}, {"priority", strconv.Itoa(x.Priority)},
	}, files, &report)
	return report, err
}

// Patiently asks until the host answers, unless it refuses, or does not for long, which late
// says of the time.
func (h *Host) Patiently(ctx context.Context, late string, ask func() error) error {
	begun, told := time.Now(), false
	for pause := AskEvery; ; pause = min(2*pause, mostPause) {
		err := ask()
		var refused *RefusedError
		if err == nil || errors.As(err, &refused) && refused.Status < 500 && refused.Status != http.StatusTooManyRequests || ctx.Err() != nil {
			return err
		}
		if time.Since(begun) > askFor {
			return fmt.Errorf(late+": %w", text.Duration(askFor), err)
		}
		if !told {
			h.Warn(fmt.Sprintf("the host does not answer; asking again (%v)", err))
			told = true
		}
		if err := Wait(ctx, pause); err != nil {
			return err
		}
	}
}

// Wait waits for a time, and returns the error of a context that ends before.
func Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
