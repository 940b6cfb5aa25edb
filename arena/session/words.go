package session

import "botarena/protocol"

// The lines to a bot, in the words of the protocol that it speaks.

func (s *Session) appendOption(dst []byte, t protocol.OptionType, name, value string) []byte {
	if s.xboard != nil {
		return s.xboard.appendOption(dst, t, name, value)
	}
	return protocol.AppendSetOption(dst, t, name, value)
}

func (s *Session) appendIsReady(dst []byte) []byte {
	if s.xboard != nil {
		return s.xboard.appendReady(dst)
	}
	return protocol.AppendIsReady(dst)
}

func (s *Session) appendNewGame(dst []byte) []byte {
	if s.xboard != nil {
		return s.xboard.appendNew(dst, s.Opponent)
	}
	return protocol.AppendNewGame(dst, s.Declared.Dialect)
}

func (s *Session) appendGo(dst []byte, p protocol.GoParams, offered bool) []byte {
	if s.xboard != nil {
		return s.xboard.appendGo(dst, p, offered)
	}
	return protocol.AppendGo(dst, s.Declared.Dialect, p)
}

func (s *Session) appendStop(dst []byte) []byte {
	if s.xboard != nil {
		return protocol.AppendXBoard(dst, "?")
	}
	return protocol.AppendStop(dst)
}
