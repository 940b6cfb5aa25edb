package process

import "golang.org/x/sys/windows"

func living(p Identity) bool {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(p.PID))
	if err != nil {
		return false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	const stillActive = 259
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}
