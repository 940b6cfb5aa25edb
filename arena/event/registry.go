package event

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"botarena/arena"
	"botarena/arena/config"
	"botarena/arena/store"
)

// Register records a bot in the registry and replaces one of its name.
func Register(ctx context.Context, s *store.Store, bot arena.Bot) error {
	spec, err := config.EncodeBot(bot)
	if err != nil {
		return err
	}
	return s.Register(ctx, bot.Name, spec)
}

// Registered returns a bot of the registry, or a *store.UnknownBotError.
func Registered(ctx context.Context, s *store.Store, name string) (arena.Bot, error) {
	r, err := s.RegisteredBot(ctx, name)
	if err != nil {
		return arena.Bot{}, err
	}
	return registered(r)
}

func registered(r *store.Registered) (arena.Bot, error) {
	b, err := config.DecodeBot(r.Spec)
	if err != nil {
		return arena.Bot{}, fmt.Errorf("registered bot %q: %w; register it anew with `arena bots add`", r.Name, err)
	}
	b.Name = r.Name
	return b, nil
}

// Registry returns the bots of the registry.
func Registry(ctx context.Context, s *store.Store) ([]arena.Bot, error) {
	list, err := s.Registry(ctx)
	if err != nil {
		return nil, err
	}
	bots := make([]arena.Bot, len(list))
	for i := range list {
		if bots[i], err = registered(&list[i]); err != nil {
			return nil, err
		}
	}
	return bots, nil
}

// Newest returns the version of a bot that no other one of bots replaces, which may be
// the bot itself.
func Newest(bots []arena.Bot, bot arena.Bot) arena.Bot {
	for i := range bots {
		// Each names all the versions before it.
		if slices.Contains(bots[i].Replaces, bot.Name) && len(bots[i].Replaces) > len(bot.Replaces) {
			bot = bots[i]
		}
	}
	return bot
}

// Enters returns the bot that an event enters by its registered name: the newest version
// of it; one that has been retired since as the event recorded it. Else the error is a
// *store.UnknownBotError.
func Enters(ctx context.Context, s *store.Store, event, name string) (arena.Bot, error) {
	bots, err := Registry(ctx, s)
	if err != nil {
		return arena.Bot{}, err
	}
	if b := Newest(bots, arena.Bot{Name: name}); b.Name != name {
		return b, nil
	}
	b, unknown := Registered(ctx, s, name)
	if unknown == nil {
		return b, nil
	}
	stored, err := s.Event(ctx, event)
	if err != nil {
		return b, unknown
	}
	e, err := config.Decode(stored.Config)
	i := arena.BotIndex(e.Bots, name)
	if err != nil || i < 0 {
		return b, unknown
	}
	b = e.Bots[i]
	b.Withdrawn = false
	return b, nil
}

// FreeName returns the first of "PREFIX-1", "PREFIX-2", ... that no event of s, which may
// be nil, has.
func FreeName(ctx context.Context, s *store.Store, prefix string) (string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s-%d", prefix, n)
		if s == nil {
			return name, nil
		}
		_, err := s.Event(ctx, name)
		if _, free := errors.AsType[*store.UnknownEventError](err); free {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

// TellApart renames bots of equal names, except those that named marks: after their
// programs' folders if these differ, else by numbers.
func TellApart(bots []arena.Bot, named []bool) {
	for i := range bots {
		var same []int // those whose name may change
		for j := range bots {
			if strings.EqualFold(bots[j].Name, bots[i].Name) && !named[j] {
				same = append(same, j)
			}
		}
		apart := len(same) > 1
		folders := map[string]bool{}
		for _, j := range same {
			folder := strings.ToLower(folderOf(bots[j]))
			apart = apart && folder != "" && !folders[folder] && !taken(bots, folder)
			folders[folder] = true
		}
		for _, j := range same {
			name := bots[j].Name
			for n := 2; !apart && taken(bots[:j], bots[j].Name); n++ {
				suffix := fmt.Sprintf(" %d", n)
				letters := []rune(name)
				bots[j].Name = strings.TrimSpace(string(letters[:min(len(letters), arena.MaxName-len(suffix))])) + suffix
			}
			if apart {
				bots[j].Name = folderOf(bots[j])
			}
		}
	}
}

func taken(bots []arena.Bot, name string) bool {
	return slices.ContainsFunc(bots, func(b arena.Bot) bool { return strings.EqualFold(b.Name, name) })
}

// folderOf returns the name of the folder in which a bot's own file lies, "" if its
// command names none.
func folderOf(b arena.Bot) string {
	file := arena.ProgramOf(b.Command)
	if file == "" || filepath.Base(file) == file && arena.Interpreter(file) == nil {
		return "" // found in PATH
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(b.Dir, file)
	}
	return arena.NameOf([]string{filepath.Dir(file)})
}
