package process

// An Identity names a process in a way that tells whether it still lives, even if its
// number was reused.
type Identity struct {
	PID       int
	Started   int64  // start of the process in the host's own ticks; 0 if unknown
	Host      string // name of the machine
	Boot      string // identifies the boot of the machine; "" if unknown
	Namespace string // of process numbers; "" if unknown
}

// A Sight says what one process can observe of another.
type Sight int

// The sights.
const (
	Dead Sight = iota
	Alive
	OutOfSight // on another machine or in another container
)

// Sees returns the Sight of other from process p, which must be the calling one.
func (p Identity) Sees(other Identity) Sight { return p.sees(other, living) }

// sees implements Sees; living reports whether a process of p's own machine and
// namespace runs.
func (p Identity) sees(other Identity, living func(Identity) bool) Sight {
	switch {
	case p.Boot == "" || other.Boot == "":
		if p.Host == other.Host {
			if living(other) {
				return Alive
			}
			return Dead
		}
		return OutOfSight
	case p.Boot != other.Boot && p.Host == other.Host:
		return Dead // the machine was started anew since
	case p.Boot != other.Boot, p.Namespace != other.Namespace:
		return OutOfSight
	case living(other):
		return Alive
	}
	return Dead
}
