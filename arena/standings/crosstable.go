package standings

import (
	"fmt"
	"strconv"

	"botarena/arena"
	"botarena/arena/listing"
)

// A Crosstable holds each bot's results against each other bot.
type Crosstable struct {
	Event string   `json:"event,omitempty"`
	Game  string   `json:"game"`
	Bots  []string `json:"bots"` // in the order given
	// Ranks holds the places of the bots in the leaderboard; 0 for earlier versions.
	Ranks []int `json:"ranks"`
	// Cells[i][j] holds the results of bot i against bot j; nil on the diagonal and if
	// they have not met.
	Cells [][]*Meeting `json:"cells"`

	byes bool
}

// A Meeting holds one bot's results against another.
type Meeting struct {
	arena.Tally
	// AsFirst and AsSecond count the games in which the bot played that side.
	AsFirst  arena.Tally `json:"as_first"`
	AsSecond arena.Tally `json:"as_second"`
}

// NewCrosstable returns the crosstable of the finished games between the bots, in the
// given order; games of others are left out.
func NewCrosstable(c *arena.Counts, bots []string) *Crosstable {
	t := &Crosstable{Bots: bots, Ranks: make([]int, len(bots)), Cells: make([][]*Meeting, len(bots))}
	place := map[string]int{}
	for i, b := range bots {
		t.Cells[i] = make([]*Meeting, len(bots))
		place[b] = i
	}
	names := c.Names()
	for i := range c.Endings {
		n := &c.Endings[i]
		score, played := n.Result.Score()
		first, ok1 := place[names[n.First]]
		second, ok2 := place[names[n.Second]]
		if !played || !ok1 || !ok2 || first == second {
			continue
		}
		t.add(first, second, score, n.Games).AsFirst.Add(score, n.Games)
		t.add(second, first, 1-score, n.Games).AsSecond.Add(1-score, n.Games)
	}
	return t
}

func (c *Crosstable) add(bot, against int, score float64, games int) *Meeting {
	m := c.Cells[bot][against]
	if m == nil {
		m = &Meeting{}
		c.Cells[bot][against] = m
	}
	m.Add(score, games)
	return m
}

// Table returns the crosstable as a table: points of games against each bot, by the
// number of its row.
func (c *Crosstable) Table() listing.Table { return c.TableOf(len(c.Bots)) }

// TableOf returns the crosstable of the first bots. Their points count all their games.
func (c *Crosstable) TableOf(bots int) listing.Table {
	t := listing.Table{Title: titled(c.Event, c.Game), Columns: []listing.Column{{Name: "#", Key: "rank"}, {Name: "Bot", Left: true}}}
	for i := range bots {
		t.Columns = append(t.Columns, listing.Column{Name: strconv.Itoa(i + 1)})
	}
	t.Columns = append(t.Columns, listing.Column{Name: "Points"})
	for i, name := range c.Bots[:bots] {
		row := []any{i + 1, name}
		var all arena.Tally
		for j, m := range c.Cells[i] {
			cell := "-"
			switch {
			case m != nil:
				all = all.Plus(m.Tally)
				cell = fmt.Sprintf("%g/%d", m.Points, m.Games)
			case i == j:
				cell = "·"
			}
			if j < bots {
				row = append(row, cell)
			}
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%g/%d", all.Points, all.Games)))
	}
	if c.byes {
		t.Notes = []string{"Points of games: those of byes are not in them."}
	}
	return t
}

// Long lists each bot against each other in a row of numbers, for programs.
func (c *Crosstable) Long() listing.Table {
	t := listing.Table{Columns: []listing.Column{
		{Name: "rank"}, {Name: "bot"}, {Name: "opponent"}, {Name: "games"}, {Name: "points"}, {Name: "wins"}, {Name: "draws"}, {Name: "losses"},
	}}
	for i, name := range c.Bots {
		for j, m := range c.Cells[i] {
			if m != nil {
				t.Rows = append(t.Rows, []any{unlessZero(c.Ranks[i]), name, c.Bots[j], m.Games, m.Points, m.Wins, m.Draws, m.Losses})
			}
		}
	}
	return t
}
