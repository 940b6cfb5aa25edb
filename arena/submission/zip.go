package submission

import (
	"archive/zip"
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

// zip unpacks a zip archive.
func (t *tree) zip(f *os.File) error {
	if err := t.countZip(f); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return unreadable(err)
	}
	if len(archive.File) > t.limits.Files {
		return t.tooMany()
	}
	for _, m := range archive.File {
		if err := t.zipMember(m); err != nil {
			return err
		}
	}
	return nil
}

// countZip refuses an archive that has far too many members, before zip.NewReader would
// keep all of their headers in memory. It counts what looks like a header anywhere, as
// archives within this one may have as well.
func (t *tree) countZip(f *os.File) error {
	const header = "PK\x01\x02"
	in := bufio.NewReaderSize(reading{t.ctx, f}, 64<<10)
	for found := 0; ; {
		if _, err := in.ReadSlice(header[0]); errors.Is(err, io.EOF) {
			break
		} else if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if next, _ := in.Peek(len(header) - 1); string(next) == header[1:] {
			found++
		}
		if found > 4*t.limits.Files {
			return t.tooMany()
		}
	}
	_, err := f.Seek(0, io.SeekStart)
	return err
}

func (t *tree) zipMember(z *zip.File) error {
	const encrypted = 1
	m := member{name: z.Name, executable: z.Mode()&0o111 != 0}
	if fat := z.CreatorVersion>>8 == 0; fat && !strings.Contains(m.name, "/") {
		m.name = strings.ReplaceAll(m.name, `\`, "/") // as some programs of Windows write it
	}
	switch mode := z.Mode(); {
	case z.Flags&encrypted != 0:
		return wrong("%q is encrypted; make the archive without a password", z.Name)
	case mode.IsDir() || strings.HasSuffix(m.name, "/"):
		return t.folder(m)
	case mode.IsRegular(), mode&fs.ModeSymlink != 0:
	default:
		return wrong("%q is a device or a pipe; an archive holds files, folders and links among them", z.Name)
	}
	content, err := z.Open()
	if errors.Is(err, zip.ErrAlgorithm) {
		return wrong("%q is compressed in a way that is not known here; make the archive with the usual method (deflate)", z.Name)
	}
	if err != nil {
		return unreadable(err)
	}
	defer func() { _ = content.Close() }()
	if z.Mode().IsRegular() {
		return t.file(m, content)
	}
	target, err := io.ReadAll(io.LimitReader(content, maxPath+1))
	if err != nil {
		return unreadable(err)
	}
	return t.link(m, string(target))
}
