package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"botarena/engine/nearest"
)

// A Team is a participant that may submit bots.
type Team struct {
	Name    string
	Created time.Time // its token
	Revoked time.Time // zero: the token is accepted
	// Experiments reports whether the team may queue experiments.
	Experiments bool
}

// ErrTeamExists is reported by [Store.AddTeam] for a name that is in use.
var ErrTeamExists = errors.New("there is a team of that name, and its token is accepted; revoke it first, or choose another name")

// ErrToken is reported by [Store.TeamOf] for a token that no team has.
var ErrToken = errors.New("no team has this token; ask the organiser for one")

// An UnknownTeamError reports that there is no team of that name.
type UnknownTeamError struct {
	Name    string
	Nearest string // "" for none
	Revoked bool   // there is one, and its token is revoked
}

// Error reports what to try.
func (e *UnknownTeamError) Error() string {
	switch {
	case e.Revoked:
		return fmt.Sprintf("the token of team %q is revoked already", e.Name)
	case e.Nearest != "":
		return fmt.Sprintf("no team %q; did you mean %q?", e.Name, e.Nearest)
	}
	return fmt.Sprintf("no team %q; `arena host teams list` shows them", e.Name)
}

// AddTeam records a team with the hash of its token. A team whose token was revoked
// gets the new one. The error is ErrTeamExists if its token is accepted.
func (s *Store) AddTeam(ctx context.Context, name string, token []byte) error {
	return s.update(ctx, "add team "+name, func(ctx context.Context, tx *sql.Tx) error {
		n, err := changed(ctx, tx, `INSERT INTO teams (name, token, created) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET token = excluded.token, created = excluded.created, revoked = 0 WHERE revoked <> 0`, name, token, s.now())
		if err == nil && n == 0 {
			return ErrTeamExists
		}
		return err
	})
}

// RevokeTeam makes a team's token worthless; its bot plays on. The error is an
// *UnknownTeamError.
func (s *Store) RevokeTeam(ctx context.Context, name string) error {
	return s.update(ctx, "revoke team "+name, func(ctx context.Context, tx *sql.Tx) error {
		n, err := changed(ctx, tx, "UPDATE teams SET revoked = ?, experiments = 0 WHERE name = ? AND revoked = 0", s.now(), name)
		if err != nil || n > 0 {
			return err
		}
		return unknownTeam(ctx, tx, name)
	})
}

// Teams lists all teams by name.
func (s *Store) Teams(ctx context.Context) ([]Team, error) {
	return readList(ctx, s, "read teams", "SELECT name, created, revoked, experiments FROM teams ORDER BY name", nil, func(rows *sql.Rows, t *Team) error {
		return rows.Scan(&t.Name, (*moment)(&t.Created), (*moment)(&t.Revoked), &t.Experiments)
	})
}

// TeamOf returns the name of the team whose token has that hash. The error is ErrToken
// if none has. How long it takes says nothing about the tokens that there are.
func (s *Store) TeamOf(ctx context.Context, token []byte) (string, error) {
	team, err := read(ctx, s, "look for a token", func(tx *sql.Tx) (team string, err error) {
		return team, each(ctx, tx, "SELECT name, token FROM teams WHERE revoked = 0", nil, func(rows *sql.Rows) error {
			var name string
			var hash []byte
			if err := rows.Scan(&name, &hash); err != nil {
				return err
			}
			if subtle.ConstantTimeCompare(hash, token) == 1 {
				team = name
			}
			return nil
		})
	})
	if err == nil && team == "" {
		return "", ErrToken
	}
	return team, err
}

// unknownTeam returns the error for a name that no team has, or one that is revoked.
func unknownTeam(ctx context.Context, q querier, name string) error {
	names, err := list(ctx, q, "SELECT name FROM teams", nil, column[string])
	if err != nil {
		return err
	}
	e := &UnknownTeamError{Name: name, Nearest: nearest.Of(name, names)}
	for _, n := range names {
		e.Revoked = e.Revoked || strings.EqualFold(n, name)
	}
	return e
}

// teamID returns the number of a team. The error is an *UnknownTeamError.
func teamID(ctx context.Context, tx *sql.Tx, name string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT id FROM teams WHERE name = ?", name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, unknownTeam(ctx, tx, name)
	}
	return id, err
}
