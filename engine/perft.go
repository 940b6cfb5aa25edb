package engine

// A Perfter is a Position that counts its own move paths, faster than [Perft] can
// through the interface. The result equals Perft's, except that a game whose rules
// depend on the history may count by placement alone, as is usual for perft in chess.
// The position is as before when it returns.
type Perfter interface {
	Perft(depth int) uint64
}

// Perft counts the paths of exactly depth moves from pos. A finished game is not
// extended, so a path that ends earlier does not count; depth 0 counts 1. The last ply
// is counted, not played. pos is as before when Perft returns; if it is a [Perfter],
// its own count is returned.
func Perft(pos Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	if p, ok := pos.(Perfter); ok {
		return p.Perft(depth)
	}
	return perft(pos, depth, make([][]Move, depth))
}

// perft keeps one list of moves for each depth in bufs.
func perft(pos Position, depth int, bufs [][]Move) uint64 {
	moves := pos.Legal(bufs[depth-1][:0])
	bufs[depth-1] = moves
	if depth == 1 {
		return uint64(len(moves))
	}
	var nodes uint64
	for _, m := range moves {
		pos.Play(m)
		nodes += perft(pos, depth-1, bufs)
		pos.Undo()
	}
	return nodes
}

// A Branch is one legal move and the number of paths that begin with it.
type Branch struct {
	Move  Move
	Nodes uint64
}

// PerftDivide splits Perft(pos, depth) by the first move, in Legal's order. It is
// empty for a finished game and for a depth below 1.
func PerftDivide(pos Position, depth int) []Branch {
	if depth < 1 {
		return nil
	}
	moves := pos.Legal(nil)
	branches := make([]Branch, 0, len(moves))
	for _, m := range moves {
		pos.Play(m)
		branches = append(branches, Branch{Move: m, Nodes: Perft(pos, depth-1)})
		pos.Undo()
	}
	return branches
}
