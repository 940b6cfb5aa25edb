package bottest

// Problems are some of each game: wins at once, wins in three plies, and moves
// that alone do not lose within two. They come from random games.
func Problems() []Problem {
	return []Problem{
		{Game: "breakthrough", Position: "p4p1p/ppp2Pp1/3p2pp/1p2Pp1P/2p2P1P/Pp1P4/PP1PPP1P/1PPP4 w", Plies: 1},
		{Game: "breakthrough", Position: "p2p4/ppp3pp/3pp2p/2p1p2P/2PP4/1Ppp1PP1/PPPP3P/1P1P2P1 b", Plies: 3},
		{Game: "breakthrough", Position: "4p3/1ppp1pp1/1P1ppPp1/p2pP1pp/3P1P2/5P1P/P2PP1PP/P1P4P w", Plies: 3},
		{Game: "breakthrough", Position: "3p1pp1/p2p1pPp/pp1p4/1Pp1P2p/P1pP2p1/p1P1PPPP/P2P4/1PPP1P2 b", Plies: 2, Saves: true},
		{Game: "breakthrough", Position: "1p1pp1p1/p3P1pp/1p2p3/1Pp2P2/p2pP2p/P5pP/1PP1PPPP/1P4P1 b", Plies: 2, Saves: true},
		{Game: "breakthrough:4x6", Position: "p3/P1pP/p1p1/PPP1/3p/P2P b", Plies: 1},
		{Game: "breakthrough:4x6", Position: "pp1p/p2p/pp1P/2P1/p1P1/PPP1 w", Plies: 2, Saves: true},
		{Game: "outwit", Position: "S2S3SS/3S4K/6SSS/9/9/9/9/kss6/sss6/ss6s d", Plies: 1},
		{Game: "outwit", Position: "4sSKSS/6S1S/6SSS/8s/9/9/9/k1s6/2s6/ssss5 l", Plies: 3},
		{Game: "outwit", Position: "s3s1SKS/6SSS/6SS1/9/9/9/9/s8/2ks1s3/ss5sS d", Plies: 2, Saves: true},
		{Game: "outwit:jump", Position: "6SSS/S6SK/s5SSS/9/9/9/9/sss6/kss6/s1s6 l", Plies: 1},
		{Game: "outwit:jump", Position: "5sSKS/6SS1/6SSS/9/9/9/9/sss6/sss6/s1k5S l", Plies: 3},
		{Game: "outwit:push", Position: "6SSK/6SSS/6S2/8S/S8/9/9/sss6/ssk6/ss3s3 d", Plies: 1},
		{Game: "outwit:push", Position: "6S1S/6KS1/6SSS/S8/9/8S/8s/1ks6/sss6/sss6 d", Plies: 3},
		{Game: "outwit:push", Position: "1SS1S2K1/8S/6SS1/9/8S/s8/8S/1ss6/kss6/sss6 l", Plies: 2, Saves: true},
		{Game: "owlman", Position: "8/8/4D1O1/8/8/8/2H5/8 b", Plies: 1},
		{Game: "owlman", Position: "8/3D4/8/8/6O1/8/8/5H2 b", Plies: 3},
		{Game: "owlman", Position: "8/8/8/8/6O1/3D4/8/3H4 w", Plies: 2, Saves: true},
		{Game: "owlman:daybreak", Position: "8/7H/8/1H1H3H/H3H1H1/5H2/4O3/5H1D b", Plies: 1},
		{Game: "owlman:daybreak", Position: "8/7H/2H1H3/8/6H1/1H3O1H/4H3/5H1D b", Plies: 3},
		{Game: "owlman:daybreak", Position: "4H1H1/8/H7/5H2/6O1/3H4/4H3/3H1H1D w", Plies: 2, Saves: true},
		{Game: "chess", Position: "3k1B2/R2P4/2P5/K3B2p/p3p1p1/8/5N2/3b4 w - - 2 66", Plies: 1},
		{Game: "chess", Position: "6R1/kB6/3N3P/P1n2P2/8/6K1/8/8 w - - 5 107", Plies: 1},
		{Game: "chess", Position: "4Q3/1r4k1/1p6/Np1p4/R6p/3BPP2/P5p1/2K5 w - - 1 54", Plies: 3},
		{Game: "chess", Position: "8/B6n/6b1/7p/kPp4p/P2r1P1P/7K/1r6 b - - 0 78", Plies: 3},
		{Game: "chess", Position: "r4b1r/pb1k4/1p6/3p4/q1P2p1P/2B1nR2/5PP1/2n1K1N1 w - - 4 36", Plies: 2, Saves: true},
		{Game: "chess", Position: "4k3/1P6/4KP2/2B5/p7/8/6r1/8 b - - 7 124", Plies: 2, Saves: true},
	}
}
