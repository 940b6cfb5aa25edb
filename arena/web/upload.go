package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"botarena/arena/store"
	"botarena/arena/text"
	"botarena/engine/nearest"
)

const uploadPattern = "POST /team/submissions"

// What uploads may take.
const (
	uploadTime      = 10 * time.Minute
	uploadPause     = 15 * time.Second // for which nothing comes
	mostUploads     = 64               // at once
	mostTeamUploads = 3                // of them, of a team
	formBytes       = 64 << 10         // of a form beside the file
	drained         = 32 << 20         // of a file that is too large, so that its sender reads the answer
	mostParts       = 10               // of a form
)

// hostRoutes returns what teams do.
func (s *Server) hostRoutes() []route {
	if s.config.Host == nil {
		return nil
	}
	return []route{
		{"GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/league", http.StatusFound) }},
		{"GET /kits/{file}", s.kit},
		{"POST /team/sign-in", s.signInForm},
		{"POST /team/sign-out", s.signOut},
		{uploadPattern, s.forTeams(s.upload)},
		{"GET /team/submissions/{number}/file", s.forTeams(s.submittedFile)},
		{"POST /team/challenges", s.forTeams(s.challenge)},
		{queuePattern, s.forTeams(s.queue)},
		{"POST /queue/{number}", s.forTeams(s.changeExperiment)},
	}
}

// forTeams returns a handler that refuses strangers.
func (s *Server) forTeams(h func(http.ResponseWriter, *http.Request, *visitor)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := visitorOf(r)
		if v.team == "" {
			s.refuse(w, r, errSignIn())
			return
		}
		h(w, r, &v)
	}
}

// isOfTeams reports whether what is sent to a path is sent by teams.
func isOfTeams(path string) bool {
	return strings.HasPrefix(path, "/team/") || path == "/queue" || strings.HasPrefix(path, "/queue/")
}

// asksJSON reports whether a program asks for what teams see or do.
func asksJSON(r *http.Request) bool {
	return visitorOf(r).bearer || isOfTeams(r.URL.Path) && strings.Contains(r.Header.Get("Accept"), "application/json")
}

// answerJSON answers a program with something that was made.
func answerJSON(w http.ResponseWriter, at string, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", at)
	w.WriteHeader(http.StatusCreated)
	to := text.NewWriter(w)
	_ = json.NewEncoder(to).Encode(value) // the visitor has gone
	_ = to.Flush()
}

// errSignIn reports that an action needs a team's token.
func errSignIn() *failure {
	return &failure{status: http.StatusUnauthorized, what: "Sign in first: this is for teams.", next: &crumb{"Sign in with your team’s token", "/team"}}
}

// uploads counts the uploads under way, by team.
type uploads struct {
	mu  sync.Mutex
	all int
	of  map[string]int
}

// begin reports whether one more may begin; end ends it.
func (u *uploads) begin(team string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.all >= mostUploads || u.of[team] >= mostTeamUploads {
		return false
	}
	if u.of == nil {
		u.of = map[string]int{}
	}
	u.all++
	u.of[team]++
	return true
}

func (u *uploads) end(team string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.all--
	if u.of[team]--; u.of[team] == 0 {
		delete(u.of, team)
	}
}

// A slowBody is the body of an upload, which may take longer than that of other requests as
// long as something comes.
type slowBody struct {
	io.ReadCloser
	rc    *http.ResponseController
	until time.Time
}

func (b *slowBody) Read(p []byte) (int, error) {
	end := time.Now().Add(uploadPause)
	if b.until.Before(end) {
		end = b.until
	}
	_ = b.rc.SetReadDeadline(end) // a recorder of a test has none
	return b.ReadCloser.Read(p)
}

// A notedReader keeps the error of its reader, but for io.EOF.
type notedReader struct {
	io.Reader
	err error
}

func (n *notedReader) Read(p []byte) (int, error) {
	c, err := n.Reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		n.err = err
	}
	return c, err
}

// blamed returns what the sender is told where an error comes of reading what it sent; other
// errors stay.
func (n *notedReader) blamed(err error) error {
	if err != nil && n.err != nil {
		return cutOff(n.err)
	}
	return err
}

// take calls do, which reads a team's form with files of at most so many bytes in all, as far as
// as many may be taken at once. It reports whether do was called, and the error with which.
func (s *Server) take(w http.ResponseWriter, r *http.Request, v *visitor, size int64, do func() error) (done bool, err error) {
	if !s.uploads.begin(v.team) {
		w.Header().Set("Retry-After", "10")
		s.refuse(w, r, &failure{status: http.StatusTooManyRequests, what: "Too many files are being handed in at once. Try again in a moment."})
		return false, nil
	}
	defer s.uploads.end(v.team)
	rc := http.NewResponseController(w)
	body := &slowBody{ReadCloser: r.Body, rc: rc, until: time.Now().Add(uploadTime)}
	r.Body = http.MaxBytesReader(w, body, size+formBytes)
	_ = rc.SetWriteDeadline(body.until)
	err = do()
	_ = rc.SetWriteDeadline(time.Now().Add(patience))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		if r.Header.Get("Expect") == "" { // who waits for an answer has sent nothing yet
			_, _ = io.CopyN(io.Discard, body, drained) // it is refused, however it ends
		}
		err = &RefusedError{http.StatusRequestEntityTooLarge, fmt.Sprintf("This file is too large: it may have %s.", byteText(v.league.Size))}
	}
	return true, err
}

// upload takes a file that a team hands in.
func (s *Server) upload(w http.ResponseWriter, r *http.Request, v *visitor) {
	var sub store.Submission
	done, err := s.take(w, r, v, v.league.Size, func() (err error) {
		sub, err = s.submit(r, v)
		return err
	})
	if done {
		at := fmt.Sprintf("/team/submissions/%d", sub.Number)
		s.answerTeam(w, r, "upload", err, at, at+asJSON, newSubmissionReport(&sub))
	}
}

// answerTeam answers one of the forms of the team's page: with what was made to a program, and
// to a browser with the page that shows it; or why it is refused.
func (s *Server) answerTeam(w http.ResponseWriter, r *http.Request, form string, err error, page, data string, made any) {
	switch {
	case err != nil && asksJSON(r):
		s.fail(w, r, err)
	case err != nil:
		s.refuseTeam(w, r, form, err)
	case asksJSON(r):
		answerJSON(w, data, made)
	default:
		http.Redirect(w, r, page, http.StatusSeeOther)
	}
}

// submit reads the form of an upload and hands its file in.
func (s *Server) submit(r *http.Request, v *visitor) (store.Submission, error) {
	if r.ContentLength > v.league.Size+formBytes {
		return store.Submission{}, &http.MaxBytesError{Limit: v.league.Size}
	}
	form, err := r.MultipartReader()
	if err != nil {
		return store.Submission{}, badRequest("Send the file as a form (multipart/form-data), in its field “file”.")
	}
	for range mostParts {
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return store.Submission{}, cutOff(err)
		}
		if part.FormName() == "file" {
			return s.handIn(r.Context(), v, part)
		}
	}
	return store.Submission{}, badRequest("Choose a file first: the form’s field “file” is missing.")
}

// cutOff returns what a sender is told whose form cannot be read to its end.
func cutOff(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return large
	}
	return badRequest("The upload was cut off before its end. Nothing was taken; send it again.")
}

func (s *Server) handIn(ctx context.Context, v *visitor, part *multipart.Part) (store.Submission, error) {
	name := part.FileName()
	name = strings.ToValidUTF8(name[strings.LastIndexByte(name, '\\')+1:], "\uFFFD")
	if name == "" {
		return store.Submission{}, badRequest("Choose a file first.")
	}
	body := &notedReader{Reader: http.MaxBytesReader(nil, part, v.league.Size)}
	sub, err := s.config.Host.Submit(ctx, v.team, name, body)
	return sub, body.blamed(err)
}

// refuseTeam answers a form of the team's page with the page, and why it is refused.
func (s *Server) refuseTeam(w http.ResponseWriter, r *http.Request, form string, err error) {
	f := failureOf(err)
	if f.status >= http.StatusInternalServerError {
		s.fail(w, r, err)
		return
	}
	v := visitorOf(r)
	c, err := s.teamPage(r.Context(), &request{Server: s, now: s.config.Now(), url: r.URL.RequestURI(), visitor: v, host: r.Host})
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if d, ok := c.Data.(*teamData); ok {
		d.Refused, d.Form = f.what, form
	}
	c.Follow, c.JSON = "", nil // the address takes forms only
	s.answerPage(w, r, f.status, "team", c)
}

// numberOf reads the number in an address of things of a kind, such as "A submission".
func numberOf(kind, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || strconv.Itoa(n) != text {
		return 0, notFound(kind + "’s address ends in its number.")
	}
	return n, nil
}

// submittedFile gives a team what it handed in.
func (s *Server) submittedFile(w http.ResponseWriter, r *http.Request, v *visitor) {
	n, err := numberOf("A submission", r.PathValue("number"))
	var sub store.Submission
	var file io.ReadCloser
	if err == nil {
		sub, err = s.config.Store.Submission(r.Context(), v.league.Name, v.team, n)
	}
	if err == nil {
		file, err = s.config.Host.File(r.Context(), v.team, n)
	}
	if err != nil {
		s.fail(w, r, err)
		return
	}
	defer func() { _ = file.Close() }()
	attach(w, "application/octet-stream", sub.File)
	w.Header().Set("Content-Length", strconv.FormatInt(sub.Size, 10))
	if r.Method != http.MethodHead {
		_, _ = io.Copy(newPatient(w), file) // the visitor has gone
	}
}

// attach has a browser save an answer under a name.
func attach(w http.ResponseWriter, kind, name string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Disposition", cmp.Or(mime.FormatMediaType("attachment", map[string]string{"filename": text.Escape(name)}), "attachment"))
}

// kit answers with a starter kit.
func (s *Server) kit(w http.ResponseWriter, r *http.Request) {
	name, zipped := strings.CutSuffix(r.PathValue("file"), ".zip")
	var names []string
	for _, l := range visitorOf(r).league.Languages {
		names = append(names, l.Name)
		if l.Name != name || !zipped {
			continue
		}
		data, err := s.config.Host.Kit(name)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		attach(w, "application/zip", "arena-"+name+".zip")
		w.Header().Set("Cache-Control", "no-cache")
		s.send(w, r, &answer{status: http.StatusOK, kind: "application/zip", body: data})
		return
	}
	s.refuse(w, r, noneCalled("There is no starter kit of this name.", nearest.Of(name, names), kitURL))
}

func kitURL(language string) string { return "/kits/" + segment(language) + ".zip" }

// challenge has a team's bot play unrated games.
func (s *Server) challenge(w http.ResponseWriter, r *http.Request, v *visitor) {
	games, err := strconv.Atoi(cmp.Or(r.PostFormValue("games"), "2"))
	bot := strings.TrimSpace(r.PostFormValue("bot"))
	var c store.Challenge
	switch {
	case bot == "":
		err = badRequest("Choose a bot to play against.")
	case err != nil:
		err = badRequest("Say how many games you ask for as a number.")
	default:
		c, err = s.config.Host.Challenge(r.Context(), v.team, bot, games)
	}
	s.answerTeam(w, r, "challenge", err, "/team#challenges", "/team"+asJSON, &c)
}
