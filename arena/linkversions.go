package arena

import (
	"fmt"
	"strconv"
)

// LinkVersions says how the ratings of consecutive versions of a bot are linked: "off",
// "on", or the standard deviation in Elo of the difference between them, such as "30",
// which "on" estimates from the results. "" is the default, which is off outside of
// leagues. See arena/rating.
type LinkVersions string

// The values that are no number.
const (
	LinksOff LinkVersions = "off"
	LinksOn  LinkVersions = "on"
)

// The least and the greatest standard deviation that may be given.
const (
	leastLink = 1.0
	mostLink  = 1000.0
)

// Parse returns whether versions are linked, and the standard deviation in Elo; 0 to
// estimate it.
func (l LinkVersions) Parse() (on bool, elo float64, err error) {
	switch l {
	case "", LinksOff:
		return false, 0, nil
	case LinksOn:
		return true, 0, nil
	}
	elo, err = strconv.ParseFloat(string(l), 64)
	if err != nil || !(elo >= leastLink && elo <= mostLink) { // NaN is not
		return false, 0, fmt.Errorf("%q is no link of versions; write on, off, or how many Elo a version differs from the one before, from %g to %g, such as 30",
			clip(string(l)), leastLink, mostLink)
	}
	return true, elo, nil
}
