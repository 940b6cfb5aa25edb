package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"botarena/arena"
	"botarena/arena/event"
	"botarena/arena/listing"
	"botarena/arena/schedule"
	"botarena/arena/standings"
	"botarena/arena/text"
)

// lineEvery is the interval of progress lines if there is no terminal.
const lineEvery = 10 * time.Second

// statusEvery is how often it is worked out where a match stands.
const statusEvery = 200 * time.Millisecond

// progress shows an event's progress: a bar on a terminal, otherwise a line now and
// then, and only warnings if it is quiet.
type progress struct {
	w      io.Writer
	now    func() time.Time
	quiet  bool
	event  arena.Event
	begun  bool
	status string // where a match stands: of one with a test in place of the games left and the top
	stood  time.Time

	// table is the state of a tuning, shown below the bar.
	table atomic.Pointer[standings.TuningOutcome]

	bars *mpb.Progress
	bar  *mpb.Bar
	// shown is the text on both sides of the bar. The bar reads it without mu:
	// it may be drawing itself while a call of the bar's with mu held waits for it.
	shown atomic.Pointer[[2]string]

	mu      sync.Mutex
	planned int
	played  int
	total   int // games in all; 0 if nobody knows
	first   int // games that were played before this run
	start   time.Time
	told    time.Time
	points  map[string]float64
	games   map[string]int
}

func (a *app) newProgress(event arena.Event, quiet bool) *progress {
	p := &progress{
		w: a.err, now: a.now, quiet: quiet, event: event,
		points: map[string]float64{}, games: map[string]int{},
	}
	if _, ok := a.terminal(a.err); ok && !quiet {
		p.bars = mpb.New(mpb.WithOutput(raw(a.err)), mpb.WithWidth(24), mpb.WithRefreshRate(150*time.Millisecond))
	}
	return p
}

// observe handles an update of a run.
func (p *progress) observe(u event.Update) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if (p.status == "" || u.Kind == event.GameFinished) && p.now().Sub(p.stood) >= statusEvery {
		switch {
		case u.Trial != nil:
			p.status, p.stood = standings.TrialStatus(p.event.Bots[0].Name, u.Trial), p.now()
		case p.event.Format == schedule.FormatRace && u.Race != nil:
			p.status, p.stood = standings.RaceStatus(u.Race()), p.now()
		}
	}
	if u.Tuning != nil && p.now().Sub(p.stood) >= statusEvery {
		o := standings.NewTuningOutcome(&p.event, u.Tuning)
		p.status, p.stood = o.Status(), p.now()
		p.table.Store(o)
	}
	switch u.Kind {
	case event.GamesPlanned:
		if u.Played < p.played { // games were taken back: what was counted is not so any more
			clear(p.points)
			clear(p.games)
			p.start, p.first = p.now(), u.Played
		}
		p.planned, p.played, p.total = u.Planned, u.Played, u.Total
		p.begin()
	case event.GameFinished:
		p.planned, p.played, p.total = u.Planned, u.Played, u.Total
		p.count(u.Game)
		p.tell()
	case event.GameVoid:
		p.say(fmt.Sprintf("game %d (%s - %s) does not count and is played again: %s", u.Game.Number, u.Game.First, u.Game.Second, u.Game.Detail))
	case event.Building, event.Notice:
		if !p.quiet {
			p.say(u.Text)
		}
	case event.Searching:
		if !p.quiet {
			tellSearch(p.w, *u.Search)
		}
	case event.Warning:
		p.say("warning: " + u.Text)
	case event.GameStarted:
	}
	if p.bar != nil {
		p.show()
		p.bar.SetTotal(int64(p.goal()), false)
		p.bar.SetCurrent(int64(p.played))
	}
}

// show updates the text beside the bar.
func (p *progress) show() {
	p.shown.Store(&[2]string{fmt.Sprintf("%d/%d games ", p.played, p.goal()), " " + text.Escape(p.summary())})
}

// goal returns the expected number of games.
func (p *progress) goal() int { return max(p.total, p.planned) }

func (p *progress) begin() {
	if p.begun {
		return
	}
	p.begun = true
	p.start, p.told, p.first = p.now(), p.now(), p.played
	if p.quiet {
		return
	}
	most := ""
	if p.event.SPRT != nil {
		most = "at most "
	}
	line := fmt.Sprintf("%s: %s, %s, %d bots, %s%d games", p.event.Name, p.event.Game, p.event.Format, len(p.event.Bots), most, p.goal())
	if p.played > 0 {
		line += fmt.Sprintf(", %d of them played before", p.played)
	}
	p.say(line)
	if p.bars != nil {
		p.show()
		p.bar = p.bars.New(
			int64(p.goal()), mpb.BarStyle(), mpb.BarExtender(mpb.BarFillerFunc(p.below), false),
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return p.shown.Load()[0] })),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.shown.Load()[1] })),
		)
	}
}

// below writes what is shown below the bar.
func (p *progress) below(w io.Writer, _ decor.Statistics) error {
	o := p.table.Load()
	if o == nil {
		return nil
	}
	t := o.Table()
	t.Title, t.Notes = "", nil
	return t.Write(text.NewWriter(w), listing.Text)
}

func (p *progress) count(g *arena.Game) {
	score, ok := g.Result.Score()
	if !ok {
		return
	}
	p.points[g.First] += score
	p.points[g.Second] += 1 - score
	p.games[g.First]++
	p.games[g.Second]++
}

// tell prints a line if the last one is long enough ago.
func (p *progress) tell() {
	if p.quiet || p.bars != nil || p.now().Sub(p.told) < lineEvery {
		return
	}
	p.told = p.now()
	p.say(fmt.Sprintf("%d/%d games, %s", p.played, p.goal(), p.summary()))
}

// summary returns the rate, the time left and the leading bot.
func (p *progress) summary() string {
	var parts []string
	spent := p.now().Sub(p.start)
	if done := p.played - p.first; done > 0 && spent > 0 {
		rate := float64(done) / spent.Seconds()
		parts = append(parts, fmt.Sprintf("%.1f/s", rate))
		if p.event.SPRT != nil {
			return parts[0] + ", " + p.status
		}
		if left := p.goal() - p.played; left > 0 {
			parts = append(parts, text.Duration(time.Duration(float64(left)/rate*float64(time.Second)))+" left")
		}
	}
	if top := p.top(); top != "" && p.event.Format != schedule.FormatTune {
		of := "top"
		if p.first > 0 {
			of = "top of this run"
		}
		parts = append(parts, of+": "+top)
	}
	if p.status != "" {
		parts = append(parts, p.status)
	}
	return strings.Join(parts, ", ")
}

// top returns the bot with the best share of its points in this run.
func (p *progress) top() string {
	best, share := "", -1.0
	for _, b := range p.event.Bots {
		if n := p.games[b.Name]; n > 0 && p.points[b.Name]/float64(n) > share {
			best, share = b.Name, p.points[b.Name]/float64(n)
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("%s %g/%d", best, p.points[best], p.games[best])
}

// line prints a line unless it is quiet. Any goroutine may call it.
func (p *progress) line(text string) {
	if p.quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.say(text)
}

// say prints a line, above the bar if there is one.
func (p *progress) say(line string) {
	w := p.w
	if p.bar != nil {
		w = text.NewWriter(p.bars)
	}
	fmt.Fprintln(w, line)
}

// end removes the bar; observe must not be called any more.
func (p *progress) end() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.bars.Wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if done := p.played - p.first; done > 0 && !p.quiet {
		p.bar = nil
		p.say(fmt.Sprintf("%s in %s", text.Plural(done, "game"), text.Duration(p.now().Sub(p.start))))
	}
}
