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
		must(t, s.Register(ctx, "mine", []byte(spec)))
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
	must(t, s.Register(ctx, "taken", []byte(`{}`)))
	if err := s.RenameRegistered(ctx, "mine", "taken"); !errors.Is(err, ErrRegistered) {
		t.Errorf("rename to a name that is taken: %v", err)
	}
	must(t, s.RenameRegistered(ctx, "taken", "mine again"))
	if list, err := s.Registry(ctx); err != nil || len(list) != 2 || list[0].Name != "mine" || list[1].Name != "mine again" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, name := range []string{"mine", "mine again"} {
		must(t, s.Unregister(ctx, name))
	}
	if list, err := s.Registry(ctx); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
