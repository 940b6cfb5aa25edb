package process

import "testing"

func TestSees(t *testing.T) {
	self := Identity{PID: 10, Started: 5, Host: "h", Boot: "b", Namespace: "n"}
	change := func(f func(*Identity)) Identity {
		p := self
		f(&p)
		return p
	}
	for name, c := range map[string]struct {
		other  Identity
		living bool
		want   Sight
	}{
		"lives":             {self, true, Alive},
		"gone":              {self, false, Dead},
		"before the reboot": {change(func(p *Identity) { p.Boot = "a" }), true, Dead},
		"another machine":   {change(func(p *Identity) { p.Boot, p.Host = "a", "g" }), true, OutOfSight},
		"another container": {change(func(p *Identity) { p.Namespace, p.Host = "m", "g" }), true, OutOfSight},
		"boot unknown":      {change(func(p *Identity) { p.Boot = "" }), true, Alive},
		"unknown elsewhere": {change(func(p *Identity) { p.Boot, p.Host = "", "g" }), false, OutOfSight},
	} {
		if got := self.sees(c.other, func(Identity) bool { return c.living }); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The calling process lives; one of its number that started at another time does not.
func TestSelfIsAlive(t *testing.T) {
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	if self.Sees(self) != Alive {
		t.Errorf("this process %+v is not alive", self)
	}
	if self.Started == 0 {
		t.Skip("this platform does not tell when a process started")
	}
	former := self
	former.Started--
	if self.Sees(former) != Dead {
		t.Error("a process of the same number that started before is alive")
	}
}
