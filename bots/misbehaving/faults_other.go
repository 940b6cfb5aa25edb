//go:build !unix

package misbehaving

import (
	"errors"
	"runtime"
)

func ignoreTerm() {}

func (b *bot) impossible() verdict {
	return b.cannot(errors.New("not possible on " + runtime.GOOS))
}

func (b *bot) forkChild() verdict        { return b.impossible() }
func (b *bot) forkMany() verdict         { return b.impossible() }
func (b *bot) setsidGrandchild() verdict { return b.impossible() }
func (b *bot) killParent() verdict       { return b.impossible() }
func (b *bot) stopOpponent() verdict     { return b.impossible() }
func (b *bot) stopSelf() verdict         { return b.impossible() }
