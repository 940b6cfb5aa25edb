package store

import "time"

// silence is how long a holder that cannot be looked at may be without a sign
// of life before it is taken for dead. [Hold.Touch] is the sign.
const silence = 2 * time.Minute

// A Process identifies a process so that it can be told whether it still lives,
// even when its number was given to another one since.
type Process struct {
	PID       int
	Started   int64  // start of the process in the host's own ticks; 0 where unknown
	Host      string // name of the machine
	Boot      string // identifies the boot of the machine; "" where unknown
	Namespace string // of process numbers; "" where unknown
}

// A Holder is a process that runs an event.
type Holder struct {
	Process
	Since time.Time
	Seen  time.Time // last sign of life
}

// A verdict is what can be said of another process from here.
type verdict int

const (
	dead verdict = iota
	alive
	outOfSight
)

// judge reports whether other lives, seen from process me: living reports whether
// a process of me's own machine and namespace runs.
func judge(me, other Process, living func(Process) bool) verdict {
	switch {
	case me.Boot == "" || other.Boot == "":
		if me.Host == other.Host {
			if living(other) {
				return alive
			}
			return dead
		}
		return outOfSight
	case me.Boot != other.Boot && me.Host == other.Host:
		return dead // the machine was started anew since
	case me.Boot != other.Boot, me.Namespace != other.Namespace:
		return outOfSight
	case living(other):
		return alive
	}
	return dead
}
