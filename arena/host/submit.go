package host

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"

	"botarena/arena/store"
	"botarena/arena/web"
)

// NewToken returns a token for a team, which is shown once, and what is kept of it.
func NewToken() (token string, hash []byte) {
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // it does not fail: it ends the program instead
	token = "arena_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(secret))
	return token, hashOf(token)
}

// hashOf returns the stored hash of a token. Tokens are random, so a fast hash is
// enough.
func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return sum[:]
}

// SignIn returns the team that a token is of. The error is store.ErrToken if it is nobody's.
func (h *Host) SignIn(ctx context.Context, token string) (string, error) {
	return h.store.TeamOf(ctx, hashOf(token))
}

// spare is the number of bytes of the disk that submissions must leave free.
const spare = 1 << 30

// Submit takes a file that a team hands in: its name as it came, and what body has up to
// its end. It is recorded once all of it is on the disk; what counts for the deadline is
// that moment. The error is a *web.RefusedError, or body's.
func (h *Host) Submit(ctx context.Context, team, file string, body io.Reader) (store.Submission, error) {
	if err := h.accepts(ctx, team); err != nil {
		return store.Submission{}, err
	}
	sub := store.Submission{League: h.league.Name, Team: team, File: fileName(file)}
	var err error
	if sub.Size, sub.SHA256, err = h.keep(body); err != nil {
		return store.Submission{}, err
	}
	if err := h.open(); err != nil {
		return store.Submission{}, err
	}
	sub, err = h.store.AddSubmission(ctx, sub, h.league.Submissions.PerDay, h.today())
	var quota *store.QuotaError
	if errors.As(err, &quota) {
		return store.Submission{}, h.tooMany()
	}
	if err != nil {
		return store.Submission{}, err
	}
	h.config.Log(fmt.Sprintf("%s handed in %s (%s) as number %d, SHA-256 %s", team, sub.File, humanize.Bytes(uint64(sub.Size)), sub.Number, sub.SHA256)) //nolint:gosec // not negative
	h.rouse()
	return sub, nil
}

// keep writes a submitted file under the name of its hash, atomically.
func (h *Host) keep(body io.Reader) (size int64, hash string, err error) {
	f, err := os.CreateTemp(h.path("work"), "incoming-*")
	if err != nil {
		return 0, "", err
	}
	defer func() {
		_ = f.Close()
		_ = os.Remove(f.Name()) // it has another name, or is not wanted
	}()
	most, sum := h.league.Submissions.Size, sha256.New()
	if size, err = io.Copy(io.MultiWriter(f, sum), io.LimitReader(body, most+1)); err != nil {
		return 0, "", err
	}
	switch {
	case size > most:
		return 0, "", refuse(http.StatusRequestEntityTooLarge, "The file is larger than %s; leave out what the bot does not need.", humanize.Bytes(uint64(most))) //nolint:gosec // not negative
	case size == 0:
		return 0, "", refuse(http.StatusBadRequest, "The file is empty; choose the bot's source file or archive.")
	}
	hash = hex.EncodeToString(sum.Sum(nil))
	if err := errors.Join(f.Chmod(0o400), f.Sync(), f.Close()); err != nil {
		return 0, "", err
	}
	return size, hash, os.Rename(f.Name(), h.path("files", hash))
}

// accepts refuses a file before it is read.
func (h *Host) accepts(ctx context.Context, team string) error {
	if err := h.open(); err != nil {
		return err
	}
	if err := h.hasRoom(); err != nil {
		return err
	}
	_, left, err := h.Queue(ctx, team)
	if err == nil && left == 0 {
		return h.tooMany()
	}
	return err
}

// hasRoom refuses files while the disk is nearly full.
func (h *Host) hasRoom() error {
	free, err := store.FreeSpace(h.config.Dir)
	if need := uint64(spare + 3*h.league.Submissions.Size); err == nil && free < need { //nolint:gosec // not negative
		h.config.Log(fmt.Sprintf("warning: the disk has %s free: submissions are refused until it has %s", humanize.Bytes(free), humanize.Bytes(need)))
		return refuse(http.StatusInsufficientStorage, "The host's disk is nearly full; tell the organiser, and try again later.")
	}
	return nil
}

// open returns a refusal while the league accepts no submissions.
func (h *Host) open() error {
	now := h.config.Now()
	switch {
	case now.Before(h.league.Opens):
		return refuse(http.StatusForbidden, "The league opens on %s; hand it in again then.", written(h.league.Opens))
	case h.isClosed():
		return refuse(http.StatusForbidden, "The league closed on %s by the host's clock, and takes nothing any more.", written(h.league.Closes))
	}
	return nil
}

func written(t time.Time) string { return t.Format("2 January 2006 at 15:04:05 MST") }

func (h *Host) tooMany() error {
	return refuse(http.StatusTooManyRequests, "Your team has handed in %d files today, which is the limit; try again after midnight by the host's clock.", h.league.Submissions.PerDay)
}

// today returns when the day began by the host's clock.
func (h *Host) today() time.Time {
	now := h.config.Now()
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
}

func refuse(status int, format string, args ...any) error {
	return &web.RefusedError{Status: status, Why: fmt.Sprintf(format, args...)}
}

// fileName returns the last part of a name that somebody else chose, fit to be shown.
func fileName(name string) string {
	const most = 100
	name = filepath.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if letters := []rune(name); len(letters) > most { // the ending tells what it is
		name = string(letters[len(letters)-most:])
	}
	if name == "." || name == ".." || name == "/" || name == "" {
		return "submission"
	}
	return name
}

// File opens what a team handed in, as it came. The error is a
// *store.UnknownSubmissionError if it did not.
func (h *Host) File(ctx context.Context, team string, number int) (io.ReadCloser, error) {
	sub, err := h.store.Submission(ctx, h.league.Name, team, number)
	if err != nil {
		return nil, err
	}
	return os.Open(h.path("files", sub.SHA256))
}

// Queue returns how many submissions are worked at before those of the team, -1 if it has
// none that waits, and how many more the team may hand in today.
func (h *Host) Queue(ctx context.Context, team string) (before, left int, err error) {
	pending, err := h.store.PendingSubmissions(ctx, h.league.Name)
	if err != nil {
		return 0, 0, err
	}
	before = -1
	for i := range pending {
		if pending[i].Team == team {
			before = i
			break
		}
	}
	all, err := h.store.Submissions(ctx, h.league.Name, team)
	left = h.league.Submissions.PerDay
	for i := range all {
		if !all[i].Received.Before(h.today()) {
			left--
		}
	}
	return before, max(0, left), err
}

// League describes the league for pages.
func (h *Host) League(ctx context.Context) (web.League, error) {
	l := h.league
	shown := web.League{
		Name: l.Name, Game: l.Game, Opens: l.Opens, Closes: l.Closes, Ends: l.ends(),
		Closed: h.isClosed(), Visibility: l.visibility, Hidden: l.hidden, PerDay: l.Submissions.PerDay, Size: l.Submissions.Size, Games: l.Challenges,
	}
	for _, lang := range h.config.Builder.Languages() {
		shown.Languages = append(shown.Languages, web.Language(lang))
	}
	_, err := h.store.Event(ctx, FinalName(l.Name))
	var unknown *store.UnknownEventError
	switch {
	case err == nil:
		shown.Final = FinalName(l.Name)
	case !errors.As(err, &unknown):
		return shown, err
	}
	return shown, nil
}

// Kit returns a zip with a first bot in a language, for the league's game.
func (h *Host) Kit(language string) ([]byte, error) { return h.config.Kit(language) }
