package event

import (
	"context"
	"fmt"
	"slices"

	"botarena/arena/process"
)

// makeRoom ends the bots that have not played for longest if the worker has as many
// processes as it may, or more than a few and memory is short.
func (w *worker) makeRoom(playing ...string) {
	for {
		var oldest *entrant
		running := 0
		for name, e := range w.bots {
			if e.proc == nil {
				continue
			}
			running++
			if !slices.Contains(playing, name) && (oldest == nil || e.used < oldest.used) {
				oldest = e
			}
		}
		if oldest == nil || running < min(w.keep, fewProcesses) || running < w.keep && !w.short() {
			return
		}
		w.retire(oldest)
		if running < w.keep { // its memory is not free yet
			return
		}
	}
}

// short reports whether the machine has little memory left, or an unknown amount.
func (w *worker) short() bool {
	free := process.FreeMemory
	if w.memory != nil {
		free = w.memory
	}
	share, known := free()
	return !known || share < leastMemory
}

// end kills a bot's process.
func (w *worker) end(e *entrant) {
	s := e.session
	stdout := s.LastLines()
	e.proc, e.session = nil, nil
	if err := s.End(0); err != nil {
		w.Warn(fmt.Sprintf("bot %q: %v", s.Name, err))
	}
	e.output = quoted("stdout", stdout) + quoted("stderr", e.stderr.Lines(quotedLines))
}

// lastLines quotes the last lines that a bot wrote, whether it runs or not.
func (e *entrant) lastLines() string {
	if e.session == nil {
		return e.output
	}
	return quoted("stdout", e.session.LastLines()) + quoted("stderr", e.stderr.Lines(quotedLines))
}

// retire asks a bot to quit and ends it in the background.
func (w *worker) retire(e *entrant) {
	s := e.session
	e.proc, e.session = nil, nil
	s.Log = nil
	w.ending <- struct{}{}
	w.endings.Add(1)
	go func() {
		defer w.endings.Done()
		defer func() { <-w.ending }()
		if err := s.End(w.Event.Grace); err != nil {
			w.Warn(fmt.Sprintf("bot %q: %v", s.Name, err))
		}
	}()
}

// endAll ends all bots of the worker that are not kept for another run, without grace if
// the run was aborted.
func (w *worker) endAll(botsCtx context.Context) {
	for _, e := range w.bots {
		switch {
		case e.proc == nil:
		case botsCtx.Err() != nil:
			w.end(e)
		case w.Kept.keep(w, e):
		default:
			w.retire(e)
		}
	}
	w.endings.Wait()
}
