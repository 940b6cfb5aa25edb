package fleet

import (
	"context"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"botarena/arena/fleet/wire"
)

// rate formats a speed for an entry.
func rate(speed float64) string {
	if speed == 0 {
		return ""
	}
	return strconv.FormatFloat(speed, 'f', 0, 64)
}

// entries keeps the worker's entry up to date until ctx ends, and then removes it.
func (a *attendance) entries(ctx context.Context) {
	subject := wire.WorkerSubject(a.Name)
	tick := time.NewTicker(entryEvery)
	defer tick.Stop()
	var last wire.Worker
	var told time.Time
	asked := false
	for {
		a.mu.Lock()
		now := wire.Worker{
			Name: a.Name, Host: a.Host, Platform: a.Platform, Arena: a.Arena, Event: a.playing,
			Speed: rate(a.speed.Speed), Spread: a.speed.Spread,
			Slots: a.slots, Busy: min(int(a.stats.busy.Load()), a.slots),
			Games: int(a.stats.games.Load()), Faults: int(a.stats.faults.Load()), Joined: a.since.UnixMicro(),
		}
		a.mu.Unlock()
		if now != last || asked || time.Since(told) > entryLeast {
			last, told = now, time.Now()
			publish(a.Conn, subject, &now)
		}
		asked = false
		select {
		case <-tick.C:
		case <-a.news:
			asked = true
		case <-ctx.Done():
			msg := nats.NewMsg(subject)
			msg.Header.Set("KV-Operation", "DEL")
			_ = a.Conn.PublishMsg(msg)
			_ = a.Conn.FlushTimeout(answer)
			return
		}
	}
}
