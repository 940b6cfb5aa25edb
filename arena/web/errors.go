package web

import (
	"context"
	"errors"
	"net/http"

	"botarena/arena/store"
	"botarena/engine"
)

// failure is an error response; only its text is shown.
type failure struct {
	status int
	what   string // a sentence for a person
	near   *crumb // what may have been meant; nil: nothing is near
	next   *crumb // where to go on; nil: nowhere in particular
}

func (f *failure) Error() string { return f.what }

// notFound returns the failure for a page that does not exist.
func notFound(what string) *failure { return &failure{status: http.StatusNotFound, what: what} }

// noneCalled returns the failure for a name that nothing has; nearest is a like one that
// something has, "" for none.
func noneCalled(what, nearest string, url func(name string) string) *failure {
	f := notFound(what)
	if nearest != "" {
		f.near = &crumb{nearest, url(nearest)}
	}
	return f
}

// badRequest returns the failure for a wrong query or form.
func badRequest(what string) *failure { return &failure{status: http.StatusBadRequest, what: what} }

// failureOf returns the failure for an error. It hides the text of errors that are not
// the visitor's, which are logged.
func failureOf(err error) *failure {
	var (
		known *failure
		event *store.UnknownEventError
		bot   *store.UnknownBotError
		game  *engine.UnknownGameError

		refused    *RefusedError
		quota      *store.QuotaError
		submission *store.UnknownSubmissionError
		experiment *store.ExperimentError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &event):
		return noneCalled("There is no event of this name.", event.Nearest, eventURL)
	case errors.As(err, &bot):
		return noneCalled("There is no bot of this name.", bot.Nearest, botURL)
	case errors.As(err, &game):
		return noneCalled("There is no game of this name.", game.Nearest, boardURL)
	case errors.As(err, &refused):
		return &failure{status: refused.Status, what: refused.Why}
	case errors.As(err, &quota):
		return &failure{status: http.StatusTooManyRequests, what: sentence(quota.Error())}
	case errors.As(err, &submission):
		return notFound(sentence(submission.Error()))
	case errors.As(err, &experiment) && experiment.State == "":
		return notFound(sentence(experiment.Error()))
	case errors.As(err, &experiment):
		return &failure{status: http.StatusConflict, what: sentence(experiment.Error())}
	case errors.Is(err, store.ErrToken):
		return &failure{status: http.StatusUnauthorized, what: sentence(store.ErrToken.Error())}
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		// Whoever asks can do something about it: ask later, and for less at once.
		return &failure{status: http.StatusTooManyRequests, what: "This page took too long to make, since there is much to do here. Try again in a moment."}
	}
	return &failure{status: http.StatusInternalServerError, what: "This page could not be made; the log of arena says why."}
}
