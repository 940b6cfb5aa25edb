package store

import (
	"errors"
	"testing"
)

func TestRegistry(t *testing.T) {
	s := openTest(t)
	s.clock = tick()
	ctx := t.Context()
	for _, spec := range []string{`{"command":["x"]}`, `{"command":["y"]}`} {
		if err := s.Register(ctx, "mine", []byte(spec)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.RegisteredBot(ctx, "mine")
	if err != nil || string(r.Spec) != `{"command":["y"]}` || !r.Updated.After(r.Created) {
		t.Errorf("%+v, %v", r, err)
	}
	var unknown *UnknownBotError
	if _, err := s.RegisteredBot(ctx, "mime"); !errors.As(err, &unknown) || unknown.Nearest != "mine" {
		t.Errorf("unknown: %v", err)
	}
	if err := s.Unregister(ctx, "mime"); !errors.As(err, &unknown) {
		t.Errorf("unknown: %v", err)
	}
	if err := s.RenameRegistered(ctx, "mime", "other"); !errors.As(err, &unknown) {
		t.Errorf("rename unknown: %v", err)
	}
	if err := s.Register(ctx, "taken", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.RenameRegistered(ctx, "mine", "taken"); !errors.Is(err, ErrRegistered) {
		t.Errorf("rename to a name that is taken: %v", err)
	}
	if err := s.RenameRegistered(ctx, "taken", "mine again"); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Registry(ctx); err != nil || len(list) != 2 || list[0].Name != "mine" || list[1].Name != "mine again" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, name := range []string{"mine", "mine again"} {
		if err := s.Unregister(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := s.Registry(ctx); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
